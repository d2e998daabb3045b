// What memory there is, asked before a size that only a file claims is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"

namespace spress {

/// Bytes that can still be had without swapping, on this machine and in the control groups of this process; a guess of
/// 4 GiB where the system does not tell. root: the folder that holds proc and sys.
[[nodiscard]] std::uint64_t available_memory(const std::string& root = "/");

/// Errors: too_large where `bytes` are more than there is, naming `what` needs them. Up to 1 MiB is not checked.
[[nodiscard]] Status fits_memory(std::uint64_t bytes, std::string_view what);

}  // namespace spress
