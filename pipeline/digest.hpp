// A short text that stands for a long one.
#pragma once

#include <string>
#include <string_view>

namespace spress::pipeline {

/// 16 hexadecimal digits: XXH64 of the text.
[[nodiscard]] std::string digest_of(std::string_view text);

}  // namespace spress::pipeline
