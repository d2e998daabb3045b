#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <span>

#include "encode/shared/any.hpp"
#include "formats/core/names.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "pipeline/collection/analyze.hpp"
#include "pipeline/interface/borrowed.hpp"
#include "pipeline/interface/handles.hpp"
#include "pipeline/source.hpp"
#include "reorder/orderings.hpp"
#include "reports/json/json.hpp"

namespace spress::interface {
namespace {

void copy_out(const reorder::Permutation& perm, std::uint64_t n, std::int32_t* to) {
  if (perm.empty())
    std::iota(to, to + n, 0);
  else
    std::copy(perm.begin(), perm.end(), to);
}

Status write(const spress_csr& csr, const std::filesystem::path& path, int level, bool seekable) {
  ValueStore<Owned> held;
  SPRESS_TRY(const auto a, as_double(csr.view, held));
  if (path.extension() != ".spress") {
    if (level != 0 || seekable)
      return Error{ErrorCode::usage, "a level and seekable are for .spress files", path.string(), 0};
    Status status = io::write_matrix(a, csr.info, path);
    if (!status.ok() && status.error().code == ErrorCode::usage) status.error().message += ", .spress";
    return status;
  }
  io::MatrixFileOptions how;
  if (level != 0) how.level = level;
  how.seekable = seekable;
  io::ContainerInfo info;
  info.matrix = csr.info;
  SPRESS_CHECK(io::write_matrix_file(a, info, path, how));
  return Ok{};
}

}  // namespace

spress_type type_of(ValueType type) {
  switch (type) {
    case ValueType::f32: return SPRESS_FLOAT;
    case ValueType::f64: return SPRESS_DOUBLE;
    case ValueType::c128: return SPRESS_COMPLEX;
    case ValueType::none: break;
  }
  return SPRESS_NONE;
}

void fill_shown(spress_csr& csr) {
  const auto& a = csr.view;
  spress_arrays& shown = csr.shown;
  shown = {static_cast<std::int64_t>(a.rows),
           static_cast<std::int64_t>(a.cols),
           static_cast<std::int64_t>(a.nnz),
           a.row_ptr.raw(),
           a.col_idx.raw(),
           a.values.codes.raw(),
           a.row_ptr.dtype() == DType::u64 ? SPRESS_INT64 : SPRESS_INT32,
           SPRESS_INT32,
           type_of(a.values.type)};
  if (a.row_ptr.dtype() == DType::u64 || a.nnz <= std::numeric_limits<std::int32_t>::max()) return;
  csr.wide_row_ptr = HostArray<std::int64_t>(a.rows + 1);
  std::copy_n(a.row_ptr.as<std::uint32_t>(), a.rows + 1, csr.wide_row_ptr.data());
  shown.row_ptr = csr.wide_row_ptr.data();
  shown.row_ptr_type = SPRESS_INT64;
}

spress_csr* handed_out(Matrix matrix) {
  auto csr = std::make_unique<spress_csr>();
  csr->info = std::move(matrix.info);
  csr->owned = std::move(matrix.csr);
  csr->view = view_of(csr->owned);
  csr->field = enum_name(csr->info.field);
  csr->symmetry = enum_name(csr->info.symmetry);
  fill_shown(*csr);
  return csr.release();
}

Result<Csr<Viewed>> as_double(const Csr<Viewed>& a, ValueStore<Owned>& held) {
  if (a.values.type != ValueType::f32) return a;
  SPRESS_TRY(held, with_type(a.values, ValueType::f64));
  Csr<Viewed> wide = a;
  wide.values = view_of(held);
  return wide;
}

}  // namespace spress::interface

using namespace spress;
using interface::given;
using interface::guarded;
using interface::handed_out;
using interface::text_or;

spress_result spress_csr_from_arrays(const spress_arrays* arrays, spress_csr** out) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(arrays, "arrays"));
    SPRESS_CHECK(given(out, "out"));
    SPRESS_TRY(auto csr, interface::borrow(*arrays));
    *out = csr.release();
    return Ok{};
  });
}

spress_result spress_csr_read(const char* path, const char* part, int index_base, spress_csr** out) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(path, "path"));
    SPRESS_CHECK(given(out, "out"));
    if (index_base < -1 || index_base > 1)
      return Error{ErrorCode::usage, fmt::format("index_base is {}; expected 0, 1 or -1", index_base)};
    io::ReadOptions options;
    options.part = text_or(part, "");
    if (index_base >= 0) options.index_base = index_base;
    SPRESS_TRY(auto matrix, pipeline::load(path, options));
    *out = handed_out(std::move(matrix));
    return Ok{};
  });
}

spress_result spress_read_shape(const char* path, int64_t* rows, int64_t* cols, int64_t* nnz) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(path, "path"));
    SPRESS_CHECK(given(rows, "rows"));
    SPRESS_CHECK(given(cols, "cols"));
    SPRESS_CHECK(given(nnz, "nnz"));
    SPRESS_TRY(const auto shape, pipeline::read_shape(path));
    *rows = static_cast<std::int64_t>(shape.rows);
    *cols = static_cast<std::int64_t>(shape.cols);
    *nnz = static_cast<std::int64_t>(shape.nnz);
    return Ok{};
  });
}

spress_result spress_csr_read_rows(const char* path, int64_t first, int64_t last, spress_csr** out) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(path, "path"));
    SPRESS_CHECK(given(out, "out"));
    if (first < 0 || last < first)
      return Error{ErrorCode::out_of_range,
                   fmt::format("rows {} to {}: the first is from 0 on, the last not before it", first, last), path, 0};
    const io::RowSpan rows = {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)};
    SPRESS_TRY(auto read, pipeline::load_rows(path, {&rows, 1}));
    *out = handed_out(std::move(read.matrix));
    return Ok{};
  });
}

spress_result spress_csr_write(const spress_csr* csr, const char* path, int level, int seekable) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(csr, "csr"));
    SPRESS_CHECK(given(path, "path"));
    if (level < 0 || level > 22)
      return Error{ErrorCode::usage, fmt::format("level {}: expected 1 to 22, or 0", level), path, 0};
    return interface::write(*csr, path, level, seekable != 0);
  });
}

void spress_csr_arrays(const spress_csr* csr, spress_arrays* out) {
  *out = csr == nullptr ? spress_arrays{} : csr->shown;
}

void spress_csr_get_info(const spress_csr* csr, spress_csr_info* out) {
  *out = {"", "", "", "", "", 0, 0};
  if (csr == nullptr) return;
  const MatrixInfo& info = csr->info;
  *out = {info.name.c_str(),
          csr->field.c_str(),
          csr->symmetry.c_str(),
          info.comments.c_str(),
          info.note.c_str(),
          static_cast<std::int64_t>(info.stored_entries),
          static_cast<std::int64_t>(info.duplicates)};
}

spress_result spress_csr_analyze(const spress_csr* csr, const char* formats, const char* orderings, char** json) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(csr, "csr"));
    SPRESS_CHECK(given(json, "json"));
    pipeline::AnalyzeOptions options;
    if (formats != nullptr) {
      SPRESS_TRY(options.formats, parse_spec_list(formats));
    }
    if (orderings != nullptr) {
      SPRESS_TRY(options.orderings, parse_names("orderings", orderings));
    }
    SPRESS_CHECK(pipeline::check_options(options));
    ValueStore<Owned> held;
    SPRESS_TRY(const auto a, interface::as_double(csr->view, held));
    *json = handed_out(reports::to_json_line(pipeline::analyze_matrix(csr->info, a, options)));
    return Ok{};
  });
}

spress_result spress_csr_reorder(const spress_csr* csr, const char* ordering, int32_t* row_perm, int32_t* col_perm) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(csr, "csr"));
    SPRESS_CHECK(given(ordering, "ordering"));
    if (csr->view.rows > 0) SPRESS_CHECK(given(row_perm, "row_perm"));
    if (csr->view.cols > 0) SPRESS_CHECK(given(col_perm, "col_perm"));
    SPRESS_TRY(const auto to, reorder::compute_ordering(ordering, csr->view));
    interface::copy_out(to.rows, csr->view.rows, row_perm);
    interface::copy_out(to.cols, csr->view.cols, col_perm);
    return Ok{};
  });
}

void spress_csr_free(spress_csr* csr) { delete csr; }
