// Results of several runs put together: those of shards, for example.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/core/result.hpp"
#include "pipeline/collection/collection.hpp"

namespace spress::pipeline {

/// Puts the records of the folders' results.jsonl into the one of `output`, which it makes where needed, sorted by the
/// inputs of the matrices: as one run over a folder of all of them has them. Records of other matrices that `output`
/// held stay there, and are counted. A matrix that several folders have appears once, a failed record only where there
/// is no other one. on_note: told of a last line that a killed run left incomplete, and which is left out.
/// Errors: not_found for a folder without results.jsonl; usage where `output` is one of the folders, a run is still
/// writing there, records were measured with different options, or a file changed between two records of it; damaged
/// for a line that is no record; unwritable. Then `output` is as it was.
[[nodiscard]] Result<CollectionResult> merge_results(const std::vector<std::string>& folders,
                                                     const std::filesystem::path& output,
                                                     const std::function<void(const std::string&)>& on_note = {});

}  // namespace spress::pipeline
