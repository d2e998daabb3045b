// A fuzzer that runs on one thread, so that each run of an input is the same. To be included by one source of a fuzzer.
#pragma once

#include <omp.h>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  omp_set_num_threads(1);
  return 0;
}
