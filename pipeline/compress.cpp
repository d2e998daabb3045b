#include "pipeline/compress.hpp"

#include <algorithm>

#include "encode/footprint.hpp"
#include "pipeline/timing.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

/// One way to hold the matrix.
struct Candidate {
  std::string ordering;
  reorder::Reordering to;
  Spec format;
  StoreKind values = StoreKind::raw;
  std::uint64_t bytes = 0;
};

Error unfit(const CompressOptions& options, const std::string& why) {
  std::string what = "no format holds this matrix";
  if (options.format) what = options.format->text() + " does not hold this matrix";
  if (options.values) what += " with values as " + std::string(enum_name(*options.values));
  return {ErrorCode::not_applicable, what + (why.empty() ? "" : ": " + why), {}, 0};
}

/// The smallest format and store for the matrix as it stands.
Result<Candidate> smallest(const Csr<Viewed>& a, const CompressOptions& options) {
  const auto statistics = analyze::value_statistics(a.values, options.threads);
  const auto formats = options.format ? std::vector<Spec>{*options.format} : pacing_formats();
  SPRESS_TRY(const auto sizes, footprints(a, formats, statistics));
  std::optional<Candidate> best;
  std::string why;
  for (std::size_t f = 0; f < sizes.size(); ++f) {
    if (sizes[f].unfit) why = *sizes[f].unfit;
    for (std::size_t s = 0; s < all_stores.size() && !sizes[f].unfit; ++s) {
      if (!sizes[f].store_bytes[s] || (options.values && *options.values != all_stores[s])) continue;
      const std::uint64_t bytes = sizes[f].size.index_bytes + *sizes[f].store_bytes[s];
      if (!best || bytes < best->bytes) best = Candidate{{}, {}, formats[f], all_stores[s], bytes};
    }
  }
  if (!best) return unfit(options, why);
  return std::move(*best);
}

Result<Candidate> in_ordering(const Csr<Viewed>& a, const std::string& ordering, const CompressOptions& options,
                              Csr<Owned>& reordered) {
  SPRESS_TRY(auto to, reorder::compute_ordering(ordering, a));
  reordered = reorder::permute(a, to);
  SPRESS_TRY(auto candidate, smallest(view_of(reordered), options));
  candidate.ordering = ordering;
  candidate.to = std::move(to);
  return candidate;
}

/// The best candidate over the orderings allowed; `reordered` is left holding the matrix in that ordering.
Result<Candidate> choose(const Csr<Viewed>& a, const CompressOptions& options, Csr<Owned>& reordered) {
  if (options.ordering != "auto") return in_ordering(a, options.ordering, options, reordered);
  SPRESS_TRY(auto best, in_ordering(a, "none", options, reordered));
  if (a.rows != a.cols) return best;
  Csr<Owned> other;
  SPRESS_TRY(auto candidate, in_ordering(a, "rcm", options, other));
  if (candidate.bytes >= best.bytes) return best;
  reordered = std::move(other);
  return candidate;
}

}  // namespace

Result<CompressResult> compress(const Matrix& matrix, const CompressOptions& options,
                                const std::filesystem::path& path) {
  const auto start = Clock::now();
  if (options.ordering != "auto") SPRESS_CHECK(reorder::find_ordering(options.ordering));
  const auto a = view_of(matrix.csr);
  Csr<Owned> reordered;
  SPRESS_TRY(auto chosen, choose(a, options, reordered));
  SPRESS_TRY(const auto stored, with_values(view_of(reordered), chosen.values));
  SPRESS_TRY(const auto encoded, encode_any(view_of(stored), chosen.format));

  CompressResult result;
  result.format = chosen.format.name;
  result.parameters = chosen.format.parameters();
  result.ordering = chosen.ordering;
  result.values = enum_name(chosen.values);
  result.csr_bytes = byte_totals(matrix.csr).total();

  io::ContainerInfo info;
  info.matrix = matrix.info;
  info.parameters = result.parameters;
  info.ordering = chosen.ordering;
  info.row_perm = std::move(chosen.to.rows);
  info.col_perm = std::move(chosen.to.cols);
  Status written = Ok{};
  with_any(encoded, [&]<template <class> class F>(const F<Owned>& f) {
    result.encoded_bytes = byte_totals(f).total();
    written = io::write_container(view_of(f), info, path, {.level = options.level, .threads = options.threads});
  });
  SPRESS_CHECK(written);
  std::error_code ignored;
  result.file_bytes = std::filesystem::file_size(path, ignored);
  if (ignored) result.file_bytes = 0;
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace spress::pipeline
