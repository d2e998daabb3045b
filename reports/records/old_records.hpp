// Records from before they said what they are: they have neither `kind` nor `matrix.generator`. Version 0.2.0 no longer
// reads them: this file, its callers and its tests go then.
#pragma once

#include <optional>
#include <string_view>

#include "formats/json/tree.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

/// The kind of a record without one, by the keys that only such records have. Requires: an object.
[[nodiscard]] std::string_view kind_of_old_record(json::View record);

/// Whether a document without a kind is what `analyze -o` left in summary.json. Requires: an object.
[[nodiscard]] bool is_old_summary(json::View document);

/// The generator that a path "gen:NAME,key=value,..." names, with the parameters that it gives; nothing for a file.
[[nodiscard]] std::optional<GeneratorRecord> generator_of_old_path(std::string_view path);

}  // namespace spress::reports
