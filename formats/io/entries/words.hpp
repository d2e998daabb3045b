// Lines taken apart into words, and errors of text that does not follow its format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"

namespace spress::io {

/// The caller adds the line.
[[nodiscard]] inline Error syntax(std::string message) { return {ErrorCode::syntax, std::move(message)}; }

/// Gives an error the line that was read last. A failure of the stream has none.
template <class T>
[[nodiscard]] Result<T> with_line(Result<T> result, std::uint64_t line) {
  if (result.ok()) return result;
  const ErrorCode code = result.error().code;
  if (code != ErrorCode::unreadable && code != ErrorCode::damaged)
    result.error().line = std::max<std::uint64_t>(line, 1);
  return result;
}

/// Refuses a matrix that says it is symmetric, skew-symmetric or Hermitian, and is not square.
[[nodiscard]] inline Status check_square(Symmetry symmetry, std::uint64_t rows, std::uint64_t cols) {
  if (symmetry == Symmetry::general || rows == cols) return Ok{};
  return syntax("a " + std::string(enum_name(symmetry)) + " matrix must be square; this one is " +
                std::to_string(rows) + " x " + std::to_string(cols));
}

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
