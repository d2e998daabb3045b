#include "formats/io/hdf5/layouts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "formats/io/matlab/problem_texts.hpp"

namespace spress::io::hdf5 {
namespace {

Error damaged(const Object& object, const std::string& what) {
  return {ErrorCode::damaged, "'" + object.path() + "' " + what};
}

Status place(const Object& group, const std::string& name, ChildOutput& output, Placed& to) {
  SPRESS_TRY(const Object dataset, group.open(name));
  if (dataset.is_dataset() && dataset.dims().size() != 1)
    return damaged(dataset, "has " + std::to_string(dataset.dims().size()) + " dimensions where a list is wanted");
  SPRESS_TRY(to, dataset.copy_to(output));
  return Ok{};
}

/// The three arrays that Python's sparse matrices have.
Status place_arrays(const Object& group, ChildOutput& output, PlacedMatrix& matrix) {
  SPRESS_CHECK(place(group, "indptr", output, matrix.pointers));
  SPRESS_CHECK(place(group, "indices", output, matrix.minor_ids));
  SPRESS_TRY(const Object data, group.open("data"));
  return matrix.take_values(data, output);
}

Status take_shape(const Object& group, const std::vector<std::uint64_t>& shape, PlacedMatrix& matrix) {
  if (shape.size() != 2) return damaged(group, "has no shape of two integers");
  matrix.rows = shape[0];
  matrix.cols = shape[1];
  return Ok{};
}

constexpr std::array<std::string_view, 4> csr_names = {"csr_matrix", "csr", "csr_array", "csr_sparse"};
constexpr std::array<std::string_view, 4> csc_names = {"csc_matrix", "csc", "csc_array", "csc_sparse"};

bool is_one_of(const std::string& name, const std::array<std::string_view, 4>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What AnnData, and h5sparse before it, call the arrangement; empty for other groups.
std::string anndata_encoding(const Object& group) {
  const std::string name = group.text("encoding-type").value_or(group.text("h5sparse_format").value_or(""));
  return is_one_of(name, csr_names) || is_one_of(name, csc_names) ? name : "";
}

}  // namespace

bool is_anndata(const Object& group) { return group.is_group() && !anndata_encoding(group).empty(); }

Result<PlacedMatrix> place_anndata(const Object& group, ChildOutput& output) {
  PlacedMatrix matrix;
  matrix.by_columns = is_one_of(anndata_encoding(group), csc_names);
  const auto shape = group.integers(group.has_attribute("shape") ? "shape" : "h5sparse_shape");
  SPRESS_CHECK(take_shape(group, shape, matrix));
  SPRESS_CHECK(place_arrays(group, output, matrix));
  return matrix;
}

bool is_tenx(const Object& group) {
  constexpr std::array<const char*, 4> arrays = {"data", "indices", "indptr", "shape"};
  return group.is_group() &&
         std::all_of(arrays.begin(), arrays.end(), [&](const char* name) { return group.has(name); });
}

Result<PlacedMatrix> place_tenx(const Object& group, ChildOutput& output) {
  PlacedMatrix matrix;
  matrix.by_columns = true;
  SPRESS_TRY(const Object shape, group.open("shape"));
  SPRESS_TRY(const auto sides, shape.small_integers());
  SPRESS_CHECK(take_shape(group, sides, matrix));
  SPRESS_CHECK(place_arrays(group, output, matrix));
  return matrix;
}

bool is_matlab_sparse(const Object& group) { return group.is_group() && group.has_attribute("MATLAB_sparse"); }

Result<PlacedMatrix> place_matlab_sparse(const Object& group, ChildOutput& output) {
  PlacedMatrix matrix;
  matrix.by_columns = true;
  const auto rows = group.integers("MATLAB_sparse");
  if (rows.size() != 1) return damaged(group, "does not say how many rows it has");
  matrix.rows = rows[0];
  SPRESS_CHECK(place(group, "jc", output, matrix.pointers));
  if (matrix.pointers.count == 0) return damaged(group, "has no column pointers");
  matrix.cols = matrix.pointers.count - 1;
  if (!group.has("ir") && !group.has("data")) return matrix;  // no entries
  SPRESS_CHECK(place(group, "ir", output, matrix.minor_ids));
  SPRESS_TRY(const Object data, group.open("data"));
  SPRESS_CHECK(matrix.take_values(data, output));
  matrix.boolean = group.text("MATLAB_class") == "logical";
  return matrix;
}

Status place_texts(const Object& structure, PlacedMatrix& matrix, ChildOutput& output) {
  ProblemTexts texts;
  constexpr std::size_t most_fields = 64;
  for (const std::string& name : structure.names(most_fields)) {
    if (!is_problem_text(name)) continue;
    const auto field = structure.open(name);
    if (!field.ok() || !field->is_dataset() || field->text("MATLAB_class") != "char" ||
        field->has_attribute("MATLAB_empty"))
      continue;
    const auto dims = field->dims();
    const auto numbers = field->small_integers();
    if (!numbers.ok() || dims.size() != 2) continue;
    const std::vector<std::uint32_t> characters(numbers->begin(), numbers->end());
    texts[name] = text_of_rows(characters.data(), dims[1], dims[0]);
  }
  return matrix.take_comments(comments_of(texts), output);
}

bool is_dense(const Object& dataset, bool matlab) {
  constexpr std::array<std::string_view, 11> numbers = {"double", "single", "logical", "int8",  "uint8", "int16",
                                                        "uint16", "int32",  "uint32",  "int64", "uint64"};
  const auto dims = dataset.dims();
  if (dims.size() != 2 || dims == std::vector<std::uint64_t>{1, 1} || dataset.element().kind == Element::Kind::other)
    return false;
  if (!matlab) return true;
  const auto kind = dataset.text("MATLAB_class");
  return kind && std::find(numbers.begin(), numbers.end(), *kind) != numbers.end() &&
         !dataset.has_attribute("MATLAB_empty");
}

Result<PlacedMatrix> place_dense(const Object& dataset, bool matlab, ChildOutput& output) {
  PlacedMatrix matrix;
  matrix.arrangement = Arrangement::dense;
  matrix.by_columns = matlab;
  const auto dims = dataset.dims();
  SPRESS_CHECK(take_shape(dataset, matlab ? std::vector(dims.rbegin(), dims.rend()) : dims, matrix));
  SPRESS_CHECK(matrix.take_values(dataset, output));
  if (matlab) matrix.boolean = dataset.text("MATLAB_class") == "logical";
  return matrix;
}

}  // namespace spress::io::hdf5
