// Digits that repeat, in short.
#pragma once

#include <string>
#include <string_view>

namespace spress::reports {

/// Cells of a spy plot, shortened: a digit stands for itself, each letter behind it for more of the same: a..z for 1 to
/// 26, A..Z for 26, 52, .. 676.
std::string shorten_runs(std::string_view cells);

/// The inverse of shorten_runs; "" for what it never writes.
std::string expand_runs(std::string_view runs);

}  // namespace spress::reports
