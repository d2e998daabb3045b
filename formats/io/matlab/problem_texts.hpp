// What the SuiteSparse Collection says of a matrix in MATLAB files, as the comments of its Matrix Market file.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace spress::io {

/// The texts of a struct by the names of its fields; lines of a text end with a newline.
using ProblemTexts = std::map<std::string, std::string>;

/// Whether a field of a struct says something of the matrix that is wanted in the comments.
[[nodiscard]] bool is_problem_text(std::string_view field);

/// Comment lines, each with its % and its newline. Complexity: linear in the texts.
[[nodiscard]] std::string comments_of(const ProblemTexts& texts);

/// A text from a matrix of characters that is stored by columns: one line for a row, blanks at its end left out; UTF-8.
template <class Character>
[[nodiscard]] std::string text_of_rows(const Character* characters, std::size_t rows, std::size_t cols);

}  // namespace spress::io
