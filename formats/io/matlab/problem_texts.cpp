#include "formats/io/matlab/problem_texts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace spress::io {
namespace {

constexpr std::array<std::string_view, 7> fields = {"name", "title", "date", "author", "ed", "kind", "notes"};

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code < 0x20 ? ' ' : code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0xD800 || (code > 0xDFFF && code < 0x10000)) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put('?');  // halves of a pair: no text of the collection has them
  }
}

}  // namespace

bool is_problem_text(std::string_view field) { return std::find(fields.begin(), fields.end(), field) != fields.end(); }

std::string comments_of(const ProblemTexts& texts) {
  std::string comments;
  for (const std::string_view field : fields) {
    const auto found = texts.find(std::string(field));
    if (found == texts.end() || found->second.empty()) continue;
    const std::string_view text = found->second;
    const bool several_lines = std::count(text.begin(), text.end(), '\n') > 1;
    comments += "% " + std::string(field) + ':' + (several_lines ? "\n" : "");
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      comments += (several_lines ? "% " : " ") + std::string(text.substr(begin, end - begin)) + '\n';
      begin = end + 1;
    }
  }
  return comments;
}

template <class Character>
std::string text_of_rows(const Character* characters, std::size_t rows, std::size_t cols) {
  std::string text;
  for (std::size_t r = 0; r < rows; ++r) {
    std::string line;
    for (std::size_t c = 0; c < cols; ++c) {
      if constexpr (sizeof(Character) == 1)
        line += static_cast<unsigned char>(characters[r + rows * c]) < 0x20 ? ' ' : characters[r + rows * c];
      else
        append_utf8(line, characters[r + rows * c]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

template std::string text_of_rows(const char*, std::size_t, std::size_t);
template std::string text_of_rows(const std::uint16_t*, std::size_t, std::size_t);
template std::string text_of_rows(const std::uint32_t*, std::size_t, std::size_t);

}  // namespace spress::io
