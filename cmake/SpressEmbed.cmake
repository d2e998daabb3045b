# Run as a script: compresses the files of `files` (name=path;...) and writes them as string literals into one C++ source,
# `output`. Literals compile in a fraction of a second where arrays of numbers take minutes.
include(${arguments})

set(definitions "")
set(rows "")
set(number 0)
foreach(pair IN LISTS files)
  string(REGEX MATCH "^([^=]*)=(.*)$" unused "${pair}")
  set(name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} content)
  # Browsers would look for the maps beside the report.
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" content "${content}")
  file(WRITE ${output}.content "${content}")
  file(SIZE ${output}.content bytes)
  file(ARCHIVE_CREATE OUTPUT ${output}.zst PATHS ${output}.content FORMAT raw COMPRESSION Zstd COMPRESSION_LEVEL 9)
  file(READ ${output}.zst digits HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" literal "${digits}")
  string(APPEND definitions "constexpr char file_${number}[] = \"${literal}\";\n")
  string(APPEND rows "    {\"${name}\", {file_${number}, sizeof(file_${number}) - 1}, ${bytes}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(REMOVE ${output}.content ${output}.zst)

file(WRITE ${output}.new "// Written by SpressEmbed.cmake.
#include \"reports/html/embedded.hpp\"

namespace spress::reports {
namespace {
${definitions}
constexpr EmbeddedFile files[] = {
${rows}};
}  // namespace

std::span<const EmbeddedFile> embedded_files() { return files; }
std::string_view charts_missing_reason() { return R\"spress_file(${charts_reason})spress_file\"; }

}  // namespace spress::reports
")
file(RENAME ${output}.new ${output})
