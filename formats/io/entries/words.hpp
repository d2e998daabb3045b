// Lines taken apart into words, and the error of text that does not follow its format.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/result.hpp"

namespace spress::io {

/// The caller adds the line.
[[nodiscard]] inline Error syntax(std::string message) { return {ErrorCode::syntax, std::move(message), {}, 0}; }

/// Blanks and tabs separate words; the carriage return of CRLF counts as one.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Takes the next word off the front of `line`; empty at the end of the line.
[[nodiscard]] inline std::string_view next_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

[[nodiscard]] inline std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto word = next_word(line); !word.empty(); word = next_word(line)) words.push_back(word);
  return words;
}

}  // namespace spress::io
