#include "pipeline/compress.hpp"

#include <fmt/format.h>

#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "pipeline/choose.hpp"

namespace spress::pipeline {
namespace {

AutoOptions auto_options(const Csr<Viewed>& a, const CompressOptions& options) {
  AutoOptions out;
  out.choice.goal = options.goal;
  if (options.format) out.choice.formats = {*options.format};
  out.choice.values = options.values;
  if (options.calibration) out.choice.model = &options.calibration->model;
  out.choice.all_exact = options.all_exact;
  out.choice.threads = options.threads;
  out.orderings =
      options.ordering == "auto" ? auto_orderings(a, options.goal) : std::vector<std::string>{options.ordering};
  return out;
}

io::ContainerInfo info_of(const Matrix& matrix, const std::string& ordering, const reorder::Reordering& to,
                          const CompressOptions& options) {
  io::ContainerInfo info = container_info(matrix.info, options);
  info.ordering = ordering;
  info.row_perm = to.rows;
  info.col_perm = to.cols;
  return info;
}

/// The bytes of the file that holds the matrix in the ordering.
Result<std::vector<std::uint8_t>> file_in_order(const Matrix& matrix, const std::string& ordering,
                                                const CompressOptions& options, const io::MatrixFileOptions& how) {
  const auto a = view_of(matrix.csr);
  SPRESS_TRY(const auto to, reorder::compute_ordering(ordering, a));
  const auto info = info_of(matrix, ordering, to, options);
  if (to.identity()) return io::write_matrix_file_bytes(a, info, how);
  const auto reordered = reorder::permute(a, to);
  return io::write_matrix_file_bytes(view_of(reordered), info, how);
}

/// A file of version 2. Of several orderings the one whose file is smallest; others than the first that do not apply
/// are passed over.
Result<CompressResult> encode_for_file(const Matrix& matrix, const CompressOptions& options,
                                       const std::filesystem::path& path) {
  const auto start = Clock::now();
  const auto a = view_of(matrix.csr);
  const io::MatrixFileOptions how = file_options(options);
  CompressResult result;
  result.format = "matrix";
  result.ordering = options.ordering;
  result.name = matrix.info.name;
  result.nnz = matrix.csr.nnz;
  result.csr_bytes = result.encoded_bytes = byte_totals(matrix.csr).total();
  if (options.ordering == "none") {
    SPRESS_TRY(result.file_bytes, io::write_matrix_file(a, info_of(matrix, "none", {}, options), path, how));
  } else {
    const bool all = options.ordering == "auto";
    std::vector<std::uint8_t> best;
    for (const std::string& name : all ? auto_orderings(a, Goal::memory) : std::vector{options.ordering}) {
      auto next = file_in_order(matrix, name, options, how);
      if (!next.ok() && (best.empty() || !passed_over(next.error()))) return std::move(next).error();
      if (!next.ok() || (!best.empty() && next->size() >= best.size())) continue;
      best = std::move(next).value();
      result.ordering = name;
    }
    SPRESS_TRY(io::OutputFile file, io::OutputFile::create(path));
    SPRESS_CHECK(file.write(best.data(), best.size()));
    SPRESS_CHECK(file.commit());
    result.file_bytes = best.size();
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace

std::string CompressOptions::text() const {
  if (for_file)
    return fmt::format("file {} {}{}{}", ordering, level, seekable ? " seekable" : "", comments ? "" : " no comments");
  return fmt::format("{} {} {} {} {} {} {}", format ? format->text() : "auto", ordering,
                     values ? enum_name(*values) : "auto", enum_name(goal),
                     calibration ? calibration->device + calibration->source + calibration->digest : "none", all_exact,
                     level);
}

io::ContainerInfo container_info(MatrixInfo matrix, const CompressOptions& options) {
  io::ContainerInfo info;
  info.matrix = std::move(matrix);
  if (!options.comments) info.matrix.comments.clear();
  info.made_from = options.made_from;
  return info;
}

io::MatrixFileOptions file_options(const CompressOptions& options) {
  return {.level = options.level, .threads = options.threads, .seekable = options.seekable};
}

Result<CompressResult> compress(const Matrix& matrix, const CompressOptions& options,
                                const std::filesystem::path& path) {
  if (options.for_file) return encode_for_file(matrix, options, path);
  const auto start = Clock::now();
  if (options.ordering != "auto") SPRESS_CHECK(reorder::find_ordering(options.ordering));
  const auto a = view_of(matrix.csr);
  SPRESS_TRY(auto chosen, choose_auto(a, auto_options(a, options)));
  const Candidate& best = chosen.best();
  SPRESS_TRY(const auto encoded, encode_any(chosen.matrix(a), best.format, best.values));

  CompressResult result;
  result.format = best.format.name;
  result.parameters = stored_spec(best.format).parameters();
  result.ordering = chosen.ordering();
  result.values = enum_name(best.values);
  result.choice = choice_record(chosen, options.goal, options.calibration ? &*options.calibration : nullptr);
  result.name = matrix.info.name;
  result.nnz = matrix.csr.nnz;
  result.csr_bytes = byte_totals(matrix.csr).total();

  io::ContainerInfo info = info_of(matrix, chosen.ordering(), chosen.to, options);
  info.parameters = result.parameters;
  Result<std::uint64_t> written = std::uint64_t{0};
  with_any(encoded, [&]<template <class> class F>(const F<Owned>& f) {
    result.encoded_bytes = byte_totals(f).total();
    written = io::write_container(view_of(f), info, path, {.level = options.level, .threads = options.threads});
  });
  SPRESS_TRY(result.file_bytes, std::move(written));
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace spress::pipeline
