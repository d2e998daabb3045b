#include <fmt/format.h>

#include <map>

#include "cli/command.hpp"
#include "formats/io/container/container.hpp"
#include "reports/text/printable.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::string input;
  bool quick = false;
};

struct Sizes {
  std::uint64_t bytes = 0, stored = 0;
  std::string transforms;
};

Sizes sizes_of(const io::ArrayRecord& array) {
  Sizes sizes;
  std::map<std::string, int> transforms;
  for (const auto& block : array.blocks) {
    sizes.bytes += block.bytes;
    sizes.stored += block.stored_bytes;
    ++transforms[block.transform];
  }
  for (const auto& [name, count] : transforms)
    sizes.transforms += fmt::format("{}{} x{}", sizes.transforms.empty() ? "" : ", ", name, count);
  return sizes;
}

Json json_of(const io::ContainerHead& head, const Options& options) {
  const auto& matrix = head.info.matrix;
  Json out = {{"path", options.input},
              {"version", head.version},
              {"format", head.format},
              {"format_version", head.format_version},
              {"parameters", head.info.parameters},
              {"ordering", head.info.ordering},
              {"matrix",
               {{"name", matrix.name},
                {"field", enum_name(matrix.field)},
                {"symmetry", enum_name(matrix.symmetry)},
                {"stored_entries", matrix.stored_entries},
                {"duplicates", matrix.duplicates}}},
              {"file_bytes", head.file_bytes},
              {"checked", !options.quick}};
  for (const auto& [name, value] : head.scalars) out["scalars"][name] = value;
  out["arrays"] = Json::array();
  for (const auto& array : head.arrays) {
    const auto sizes = sizes_of(array);
    out["arrays"].push_back({{"name", array.name},
                             {"role", array.role},
                             {"type", array.type},
                             {"count", array.count},
                             {"bytes", sizes.bytes},
                             {"stored_bytes", sizes.stored},
                             {"blocks", array.blocks.size()}});
  }
  return out;
}

std::string text_of(const io::ContainerHead& head, bool quick) {
  using reports::printable;
  const auto& matrix = head.info.matrix;
  std::string out = fmt::format("matrix    {} ({}, {})\nformat    {}{}{}\nordering  {}\nfile      {} (version {}{})\n",
                                printable(matrix.name), enum_name(matrix.field), enum_name(matrix.symmetry),
                                head.format, head.info.parameters.empty() ? "" : ":", printable(head.info.parameters),
                                printable(head.info.ordering), human_bytes(head.file_bytes), head.version,
                                quick ? "" : ", every block sound");
  for (const auto& [name, value] : head.scalars) out += fmt::format("{:<13} {}\n", printable(name), printable(value));
  out += fmt::format("\n{:<18} {:<12} {:<5} {:>14} {:>10} {:>10}  {}\n", "array", "role", "type", "count", "bytes",
                     "stored", "blocks");
  for (const auto& array : head.arrays) {
    const auto sizes = sizes_of(array);
    out += fmt::format("{:<18} {:<12} {:<5} {:>14} {:>10} {:>10}  {}\n", printable(array.name), array.role, array.type,
                       array.count, human_bytes(sizes.bytes), human_bytes(sizes.stored), sizes.transforms);
  }
  return out;
}

}  // namespace

void add_info(Registry& registry) {
  static Options options;
  auto* command = registry.add("info", "List what a .spress file holds, and check every block",
                               "spress encode gen:fem3d,n=20 -o fem.spress\n  spress info fem.spress", options.common);
  registry.reads(command->add_option("IN", options.input, "A .spress file")->required());
  command->add_flag("--quick", options.quick, "Read the descriptor alone, and check no block");
  registry.on(command, [] {
    const auto head = options.quick ? io::read_container_head(options.input)
                                    : io::check_container(options.input, options.common.threads);
    if (!head.ok()) return report(head.error());
    if (options.common.json)
      print_json(json_of(*head, options));
    else
      print(text_of(*head, options.quick));
    return int{ExitCode::good};
  });
}

}  // namespace spress::cli
