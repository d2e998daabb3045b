#include "pipeline/compare.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/loading.hpp"
#include "reports/text/printable.hpp"

namespace spress::cli {
namespace {

struct CompareArguments {
  Common common;
  std::string a, b;
};

Json json_of(const CompareArguments& options, const std::optional<pipeline::Difference>& found) {
  Json out = {{"a", options.a}, {"b", options.b}, {"same", !found}};
  if (!found) return out;
  out["first"] = found->first;
  out["entries"] = found->entries;
  out["largest"] = found->largest ? Json(*found->largest) : Json(nullptr);
  return out;
}

std::string text_of(const std::optional<pipeline::Difference>& found) {
  if (!found) return "the same matrix, bit for bit\n";
  std::string out = fmt::format("differ, first: {}\n", found->first);
  if (found->entries != 0) out += fmt::format("entries that differ: {}\n", found->entries);
  if (found->largest) out += fmt::format("largest difference: {}\n", *found->largest);
  return out;
}

Result<int> run(const CompareArguments& options) {
  SPRESS_TRY(const auto a, load_matrix(options.common, options.a));
  SPRESS_TRY(const auto b, load_matrix(options.common, options.b));
  const auto found = pipeline::difference(view_of(a.csr), view_of(b.csr));
  if (options.common.json)
    print_json(json_of(options, found));
  else
    print(text_of(found));
  return found ? ExitCode::found_false : ExitCode::good;
}

}  // namespace

void add_compare(Registry& registry) {
  static CompareArguments options;
  const Command command = registry.add(
      "compare", "Tell whether two files hold the same matrix, bit for bit",
      "spress encode gen:fem3d,n=20 -o fem.spress\n  spress compare gen:fem3d,n=20 fem.spress", options.common);
  const char* what = "Matrix file, .spress file or gen:NAME,key=value,...";
  registry.reads(command.add_option("A", options.a, what).required());
  registry.reads(command.add_option("B", options.b, what).required());
  add_reading(command, options.common);
  registry.on(command, [] { return run(options); });
}

}  // namespace spress::cli
