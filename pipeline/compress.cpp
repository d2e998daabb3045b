#include "pipeline/compress.hpp"

#include <fmt/format.h>

#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/choose.hpp"

namespace spress::pipeline {
namespace {

AutoOptions auto_options(const Csr<Viewed>& a, const CompressOptions& options) {
  AutoOptions out;
  out.choice.goal = options.goal;
  if (options.format) out.choice.formats = {*options.format};
  out.choice.values = options.values;
  if (options.calibration) out.choice.model = &options.calibration->model;
  out.choice.products = options.products;
  out.choice.all_exact = options.all_exact;
  out.choice.threads = options.threads;
  out.orderings =
      options.ordering == "auto" ? auto_orderings(a, options.goal) : std::vector<std::string>{options.ordering};
  return out;
}

}  // namespace

std::string CompressOptions::text() const {
  return fmt::format("{} {} {} {} {} {} {} {}", format ? format->text() : "auto", ordering,
                     values ? enum_name(*values) : "auto", enum_name(goal), calibration ? calibration->source : "none",
                     products, all_exact, level);
}

Result<CompressResult> compress(const Matrix& matrix, const CompressOptions& options,
                                const std::filesystem::path& path) {
  const auto start = Clock::now();
  if (options.ordering != "auto") SPRESS_CHECK(reorder::find_ordering(options.ordering));
  const auto a = view_of(matrix.csr);
  SPRESS_TRY(auto chosen, choose_auto(a, auto_options(a, options)));
  const Candidate& best = chosen.best();
  SPRESS_TRY(const auto stored, with_values(chosen.matrix(a), best.values));
  SPRESS_TRY(const auto encoded, encode_any(view_of(stored), best.format));

  CompressResult result;
  result.format = best.format.name;
  result.parameters = best.format.parameters();
  result.ordering = chosen.ordering;
  result.values = enum_name(best.values);
  result.choice = choice_record(chosen, options.goal, options.calibration ? &*options.calibration : nullptr);
  result.csr_bytes = byte_totals(matrix.csr).total();

  io::ContainerInfo info;
  info.matrix = matrix.info;
  info.parameters = result.parameters;
  info.ordering = chosen.ordering;
  info.made_from = options.made_from;
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
