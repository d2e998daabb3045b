#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "formats/io/bytes/output_file.hpp"
#include "formats/io/bytes/zip_writer.hpp"
#include "formats/io/entries/declaration.hpp"
#include "formats/io/readers/npy.hpp"
#include "formats/io/readers/npz.hpp"

namespace spress::io {
namespace {

/// An array as a member, its elements made one by one.
class ArrayWriter {
 public:
  explicit ArrayWriter(ZipWriter& zip) : zip_(zip) {}

  /// number(k) gives element k as a number of its type.
  template <class Number>
  Status write(const std::string& name, std::string_view type, const std::vector<std::uint64_t>& shape,
               std::uint64_t count, const Number& number) {
    using Element = decltype(number(std::uint64_t{0}));
    const std::string head = npy_header_text(type, shape);
    SPRESS_CHECK(zip_.begin(name + ".npy", head.size() + count * sizeof(Element)));
    SPRESS_CHECK(zip_.write(head.data(), head.size()));
    constexpr std::uint64_t piece = std::uint64_t{1} << 15;
    std::vector<Element> elements;
    for (std::uint64_t first = 0; first < count; first += piece) {
      elements.clear();
      for (std::uint64_t k = first; k < std::min(first + piece, count); ++k) elements.push_back(number(k));
      SPRESS_CHECK(zip_.write(elements.data(), elements.size() * sizeof(Element)));
    }
    return Ok{};
  }

 private:
  ZipWriter& zip_;
};

template <class Index>
Status write_indices(const Csr<Viewed>& a, std::string_view type, ArrayWriter& out) {
  SPRESS_CHECK(
      out.write("indices", type, {a.nnz}, a.nnz, [&](std::uint64_t k) { return static_cast<Index>(a.col_idx[k]); }));
  return out.write("indptr", type, {a.rows + 1}, a.rows + 1,
                   [&](std::uint64_t r) { return static_cast<Index>(a.row_ptr.position(r)); });
}

Status write_values(const Csr<Viewed>& a, Field field, ArrayWriter& out) {
  const auto* values = static_cast<const double*>(a.values.codes.raw());
  const auto write = [&](std::string_view type, std::uint64_t count, const auto& number) {
    return out.write("data", type, {a.nnz}, count, number);
  };
  if (field == Field::pattern) return write("|b1", a.nnz, [](std::uint64_t) { return std::uint8_t{1}; });
  if (field == Field::integer)
    return write("<i8", a.nnz, [&](std::uint64_t k) { return static_cast<std::int64_t>(values[k]); });
  const bool complex = field == Field::complex;
  return write(complex ? "<c16" : "<f8", complex ? 2 * a.nnz : a.nnz, [&](std::uint64_t k) { return values[k]; });
}

Status write(const Csr<Viewed>& a, const MatrixInfo& info, OutputFile& file) {
  ZipWriter zip(file);
  ArrayWriter out(zip);
  const bool narrow = a.nnz <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  SPRESS_CHECK(narrow ? write_indices<std::int32_t>(a, "<i4", out) : write_indices<std::int64_t>(a, "<i8", out));
  constexpr std::string_view format = "csr";
  SPRESS_CHECK(out.write("format", "|S3", {}, format.size(), [&](std::uint64_t k) { return format[k]; }));
  SPRESS_CHECK(out.write("shape", "<i8", {2}, 2,
                         [&](std::uint64_t k) { return static_cast<std::int64_t>(k == 0 ? a.rows : a.cols); }));
  MatrixInfo whole;  // both triangles are written, whatever the symmetry
  whole.field = info.field;
  SPRESS_CHECK(write_values(a, declare(a, whole).field, out));
  return zip.finish();
}

}  // namespace

Status write_npz(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  return write_plain(a, path, [&](const Csr<Viewed>& plain) -> Status {
    SPRESS_TRY(OutputFile file, OutputFile::create(path));
    SPRESS_CHECK(write(plain, info, file));
    return file.commit();
  });
}

}  // namespace spress::io
