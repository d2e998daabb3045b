// Numbers, lines and choices in the words that the terminal's texts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reports/records/records.hpp"

namespace spress::reports {

/// Words broken into lines of fewer than `width` characters. A longer word is cut. Ends with a line end.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width = 96);
/// Breaks words into lines likewise, and cuts them to `most` lines with an ellipsis.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t most);

inline constexpr std::size_t answer_columns = 80;  ///< of matrix_text and collection_text, at most
/// One line of an answer, cut to answer_columns. Ends with a line end.
[[nodiscard]] std::string answer_line(std::string_view text);

/// 1 of 8 as "12.5%"; "-" of nothing.
[[nodiscard]] std::string share(std::uint64_t part, std::uint64_t whole);
/// "1 matrix", "2 matrices", "1,234 matrices".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view several);
/// 0.1234 as "0.123" with 3 decimals; "-" where nothing was measured.
[[nodiscard]] std::string fixed(double value, int decimals);
/// 0.00123 seconds as "1.23"; "-" where nothing was measured.
[[nodiscard]] std::string milliseconds(double seconds);
/// 0.00123 seconds as "1.23 ms": three digits; "-" where nothing was measured.
[[nodiscard]] std::string duration_text(double seconds);
/// "the original order", "rcm order".
[[nodiscard]] std::string order_text(std::string_view ordering);
/// The goal of a choice in words, as in "the fewest bytes in memory".
[[nodiscard]] std::string goal_text(std::string_view goal);

}  // namespace spress::reports
