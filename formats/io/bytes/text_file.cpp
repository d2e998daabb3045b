#include "formats/io/bytes/text_file.hpp"

#include "formats/io/bytes/byte_stream.hpp"

namespace spress::io {
namespace {

/// All that a stream gives; one that is no text is refused before memory is full of it.
Result<std::string> read_stream(ByteStream& stream) {
  constexpr std::size_t piece = std::size_t{64} << 10;
  std::string text;
  for (std::size_t got = piece; got == piece;) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    SPRESS_TRY(got, stream.read(text.data() + before, piece));
    text.resize(before + got);
    if (text.find('\0', before) != std::string::npos)
      return Error{ErrorCode::syntax, "holds a byte 0, so it is no text"};
  }
  return text;
}

/// The size counts that the file has at first: what is appended meanwhile belongs to a later reading.
Result<std::string> read_regular(const InputFile& file) {
  std::string text(file.size(), '\0');
  SPRESS_TRY(const std::size_t got, file.read_at(0, text.data(), text.size()));
  if (got < text.size()) return Error{ErrorCode::truncated, "became shorter while it was read"};
  return text;
}

Result<std::string> read(const std::filesystem::path& path) {
  SPRESS_TRY(auto file, InputFile::open(path));
  if (file->is_regular()) return read_regular(*file);
  return read_stream(*file_stream(std::move(file)));
}

}  // namespace

Result<std::string> read_text(const std::filesystem::path& path) {
  auto text = read(path);
  if (!text.ok()) text.error().file = path.string();
  return text;
}

}  // namespace spress::io
