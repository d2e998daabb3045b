#include "cli/loading.hpp"

#include "formats/io/readers/file_kinds.hpp"

namespace spress::cli {

void add_reading(Command command, Common& common) {
  std::vector<std::string> kinds;
  for (const io::FileKind& kind : io::file_kinds()) kinds.emplace_back(kind.name);
  command
      .add_option("--kind", common.reading.kind,
                  "Read files as this kind of 'spress list files' [by content and ending]")
      .type_name("KIND")
      .one_of(kinds);
  command.add_option("--index-base", common.reading.index_base, "The first id in edge lists that do not say it: 0 or 1")
      .type_name("0|1")
      .one_of({"0", "1"});
  command
      .add_option("--part", common.reading.part, "Which matrix of a file with several: a variable, a layer, a member")
      .type_name("NAME");
}

}  // namespace spress::cli
