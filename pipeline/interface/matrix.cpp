#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/core/names.hpp"
#include "formats/csr/transpose.hpp"
#include "formats/io/container/container.hpp"
#include "formats/json/text.hpp"
#include "formats/values/store_names.hpp"
#include "pipeline/choose.hpp"
#include "pipeline/interface/handles.hpp"

namespace spress::interface {
namespace {

/// The format, its parameters, and the store. Nothing is measured where both are given.
Result<Candidate> chosen(const Csr<Viewed>& a, const std::string& format, std::optional<StoreKind> values, Goal goal) {
  ChoiceOptions options;
  options.goal = goal;
  options.values = values;
  options.exact_best = true;
  if (format != "auto") {
    SPRESS_TRY(auto spec, parse_spec(format));
    SPRESS_CHECK(check_format(spec));
    if (values) return Candidate{std::move(spec), *values};
    options.formats = {std::move(spec)};
  }
  std::optional<pipeline::Calibration> calibration;
  if (goal != Goal::memory) {
    SPRESS_TRY(calibration, pipeline::calibration_here(goal == Goal::transfer ? pipeline::DeviceKind::cuda
                                                                              : pipeline::DeviceKind::cpu));
    SPRESS_CHECK(pipeline::check_goal(goal, *calibration));
    options.model = &calibration->model;
  }
  SPRESS_TRY(auto choice, choose(a, options));
  return std::move(choice.candidates.front());
}

/// The matrix in the store and format given.
Result<std::unique_ptr<spress_matrix>> encoded(const Csr<Viewed>& a, const MatrixInfo& info, const Spec& format,
                                               StoreKind values) {
  auto out = std::make_unique<spress_matrix>();
  SPRESS_TRY(out->format, encode_any(a, format, values));
  out->info = info;
  out->spec = format.text();
  return out;
}

json::Value breakdown(const spress_matrix& matrix) {
  json::Value list = json::Value::array();
  with_any(matrix.format, [&](const auto& f) {
    for (const ArrayBytes& row : byte_breakdown(f))
      list.push_back({{"name", row.name},
                      {"role", to_string(row.role)},
                      {"type", to_string(row.type)},
                      {"count", row.count},
                      {"bytes", row.bytes},
                      {"padding", row.padding}});
  });
  return list;
}

Result<std::unique_ptr<spress_matrix>> read(const char* path) {
  SPRESS_TRY(const auto head, io::read_container_head(path));
  if (head.version != 1)
    return Error{ErrorCode::not_applicable, "holds a matrix in no format: read it as CSR, and encode that", path, 0};
  if (head.info.ordering != "none")
    return Error{ErrorCode::not_applicable, "holds a reordered matrix: read it as CSR, and encode that", path, 0};
  SPRESS_TRY(auto container, io::read_container(path));
  auto out = std::make_unique<spress_matrix>();
  out->format = std::move(container.matrix);
  out->info = std::move(container.info.matrix);
  out->spec = std::string(name_of(out->format));
  if (!container.info.parameters.empty()) out->spec += ":" + container.info.parameters;
  return out;
}

Status write(const spress_matrix& matrix, const std::filesystem::path& path) {
  if (path.extension() != ".spress")
    return Error{ErrorCode::usage, "a format is written to a .spress file: give a name that ends so", path.string(), 0};
  SPRESS_TRY(const Spec spec, parse_spec(matrix.spec));
  io::ContainerInfo info;
  info.matrix = matrix.info;
  info.parameters = stored_spec(spec).parameters();
  Result<std::uint64_t> written = std::uint64_t{0};
  with_any(matrix.format,
           [&]<template <class> class F>(const F<Owned>& f) { written = io::write_container(view_of(f), info, path); });
  if (!written.ok()) return std::move(written).error();
  return Ok{};
}

}  // namespace
}  // namespace spress::interface

using namespace spress;
using interface::given;
using interface::guarded;
using interface::handed_out;

spress_result spress_encode(const spress_csr* csr, const char* format, const char* values_store, const char* goal,
                            spress_matrix** out) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(csr, "csr"));
    SPRESS_CHECK(given(format, "format"));
    SPRESS_CHECK(given(out, "out"));
    SPRESS_TRY(const auto values, parse_store(interface::text_or(values_store, "auto")));
    SPRESS_TRY(const auto aim, parse_goal(interface::text_or(goal, "memory")));
    SPRESS_TRY(const auto best, interface::chosen(csr->view, format, values, aim));
    SPRESS_TRY(auto matrix, interface::encoded(csr->view, csr->info, best.format, best.values));
    *out = matrix.release();
    return Ok{};
  });
}

spress_result spress_transpose(const spress_matrix* matrix, spress_matrix** out) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(matrix, "matrix"));
    SPRESS_CHECK(given(out, "out"));
    const auto transposed = transpose(view_of(decode_any(matrix->format)));
    SPRESS_TRY(const Spec spec, parse_spec(matrix->spec));
    SPRESS_TRY(auto made, interface::encoded(view_of(transposed), matrix->info, spec, transposed.values.kind));
    *out = made.release();
    return Ok{};
  });
}

spress_result spress_decode(const spress_matrix* matrix, spress_csr** out) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(matrix, "matrix"));
    SPRESS_CHECK(given(out, "out"));
    Matrix decoded{matrix->info, decode_any(matrix->format)};
    if (decoded.csr.values.kind != StoreKind::raw) {
      SPRESS_TRY(decoded.csr.values, with_store(view_of(decoded.csr.values), StoreKind::raw));
    }
    *out = handed_out(std::move(decoded));
    return Ok{};
  });
}

void spress_matrix_get_info(const spress_matrix* matrix, spress_matrix_info* out) {
  *out = {0, 0, 0, 0, "", "", SPRESS_NONE};
  if (matrix == nullptr) return;
  out->format = matrix->spec.c_str();
  with_any(matrix->format, [&](const auto& f) {
    out->rows = static_cast<std::int64_t>(f.rows);
    out->cols = static_cast<std::int64_t>(f.cols);
    out->nnz = static_cast<std::int64_t>(f.nnz);
    out->bytes = static_cast<std::int64_t>(byte_totals(f).total());
    const auto values = interface::values_held(f);
    out->values_store = enum_name(values.store).data();
    out->values_type = interface::type_of(values.type);
  });
}

spress_result spress_breakdown(const spress_matrix* matrix, char** json) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(matrix, "matrix"));
    SPRESS_CHECK(given(json, "json"));
    *json = handed_out(interface::breakdown(*matrix).dump());
    return Ok{};
  });
}

spress_result spress_matrix_write(const spress_matrix* matrix, const char* path) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(matrix, "matrix"));
    SPRESS_CHECK(given(path, "path"));
    return interface::write(*matrix, path);
  });
}

spress_result spress_matrix_read(const char* path, spress_matrix** out) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(given(path, "path"));
    SPRESS_CHECK(given(out, "out"));
    SPRESS_TRY(auto matrix, interface::read(path));
    *out = matrix.release();
    return Ok{};
  });
}

void spress_matrix_free(spress_matrix* matrix) { delete matrix; }
