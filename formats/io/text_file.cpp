#include "formats/io/text_file.hpp"

#include "formats/io/byte_source.hpp"

namespace spress::io {

Result<std::string> read_text(const std::filesystem::path& path) {
  SPRESS_TRY(const auto source, file_source(path));
  Scratch scratch;
  SPRESS_TRY(const auto bytes, source->read(0, source->size(), scratch));
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace spress::io
