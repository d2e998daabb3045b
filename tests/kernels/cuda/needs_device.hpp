#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/cuda/device/device.hpp"

// Without a device a test skips, and says so; SPRESS_REQUIRE_GPU=1 makes that a failure.
#define NEEDS_DEVICE()                                                                               \
  if (spress::cuda::device_count() == 0) {                                                           \
    const char* required = std::getenv("SPRESS_REQUIRE_GPU");                                        \
    if (required && *required == '1') FAIL() << "SPRESS_REQUIRE_GPU=1, but there is no CUDA device"; \
    GTEST_SKIP() << "no CUDA device";                                                                \
  }                                                                                                  \
  static_assert(true)
