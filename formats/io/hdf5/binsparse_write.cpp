#include "formats/io/hdf5/binsparse_write.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "formats/io/bytes/output_file.hpp"
#include "formats/io/hdf5/hdf5_object.hpp"

namespace spress::io::hdf5 {
namespace {

/// The library says no more than that a write failed; the system has left the reason.
Error failed_write() {
  const int reason = errno;
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) return unwritable({}, reason);
  return {ErrorCode::unwritable, "cannot be written: " + last_failure()};
}

/// A dataset of one dimension that is filled from its beginning.
class Dataset {
 public:
  Dataset(const Handle& file, const char* name, hid_t type, std::uint64_t count) : type_(type), count_(count) {
    const hsize_t all = count;
    space_ = Handle(H5Screate_simple(1, &all, nullptr));
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20, worth_compressing = 1024;
    if (count > worth_compressing) {
      const hsize_t chunk = std::min<std::uint64_t>(count, chunk_bytes / H5Tget_size(type));
      H5Pset_chunk(creation.id(), 1, &chunk);
      H5Pset_shuffle(creation.id());
      H5Pset_deflate(creation.id(), 1);
    }
    set_ = Handle(H5Dcreate2(file.id(), name, type, space_.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
  }

  template <class T>
  Status append(const std::vector<T>& values) {
    const hsize_t count = values.size();
    const Handle memory(H5Screate_simple(1, &count, nullptr));
    if (count != 0) H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, &written_, nullptr, &count, nullptr);
    if (!set_.valid() ||
        (count != 0 && H5Dwrite(set_.id(), type_, memory.id(), space_.id(), H5P_DEFAULT, values.data()) < 0))
      return failed_write();
    written_ += count;
    // The library holds the last piece back, and to close the dataset would hide that it cannot be written.
    if (written_ == count_ && H5Dflush(set_.id()) < 0) return failed_write();
    return Ok{};
  }

 private:
  hid_t type_;
  std::uint64_t count_;
  Handle space_, set_;
  hsize_t written_ = 0;
};

/// Goes over the entries that are written, those above the diagonal left out where a triangle is declared.
class Entries {
 public:
  Entries(const Csr<Viewed>& a, const Declaration& said) : a_(a), whole_(said.symmetry == Symmetry::general) {}

  /// Calls use(k) for each entry, and end_row() behind each row.
  template <class Use, class EndRow>
  Status for_each(Use&& use, EndRow&& end_row) const {
    return with_positions(a_.row_ptr, [&](const auto* row_ptr) -> Status {
      for (std::uint64_t r = 0; r < a_.rows; ++r) {
        for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
          if (whole_ || a_.col_idx[k] <= r) SPRESS_CHECK(use(k));
        SPRESS_CHECK(end_row());
      }
      return Ok{};
    });
  }

 private:
  const Csr<Viewed>& a_;
  bool whole_;
};

constexpr std::size_t piece = std::size_t{1} << 17;  // numbers that are written at once

/// Writes what take(k, numbers) appends for each entry.
template <class T, class Take>
Status write_numbers(const Entries& entries, Dataset set, Take&& take) {
  std::vector<T> numbers;
  numbers.reserve(piece + 2);
  const Status written = entries.for_each(
      [&](std::uint64_t k) -> Status {
        take(k, numbers);
        if (numbers.size() < piece) return Ok{};
        SPRESS_CHECK(set.append(numbers));
        numbers.clear();
        return Ok{};
      },
      []() -> Status { return Ok{}; });
  return written.ok() ? set.append(numbers) : written;
}

Status write_pointers(const Entries& entries, const Csr<Viewed>& a, const Declaration& said, const Handle& file) {
  const bool narrow = position_type(said.entries) == DType::u32;
  Dataset set(file, "pointers_to_1", narrow ? H5T_STD_U32LE : H5T_STD_U64LE, a.rows + 1);
  const auto write = [&]<class P>(P) -> Status {
    std::vector<P> pointers = {0};
    P passed = 0;
    const Status written = entries.for_each(
        [&](std::uint64_t) -> Status {
          ++passed;
          return Ok{};
        },
        [&]() -> Status {
          pointers.push_back(passed);
          if (pointers.size() < piece) return Ok{};
          SPRESS_CHECK(set.append(pointers));
          pointers.clear();
          return Ok{};
        });
    return written.ok() ? set.append(pointers) : written;
  };
  return narrow ? write(std::uint32_t{}) : write(std::uint64_t{});
}

Status write_values(const Entries& entries, const Csr<Viewed>& a, const Declaration& said, const Handle& file) {
  const auto* values = static_cast<const double*>(a.values.codes.raw());
  switch (said.field) {
    case Field::pattern: return Dataset(file, "values", H5T_STD_U8LE, 1).append(std::vector<std::uint8_t>{1});
    case Field::integer:
      return write_numbers<std::int64_t>(
          entries, Dataset(file, "values", H5T_STD_I64LE, said.entries),
          [&](std::uint64_t k, auto& to) { to.push_back(static_cast<std::int64_t>(values[k])); });
    case Field::complex:
      return write_numbers<double>(entries, Dataset(file, "values", H5T_IEEE_F64LE, 2 * said.entries),
                                   [&](std::uint64_t k, auto& to) {
                                     to.push_back(values[2 * k]);
                                     to.push_back(values[2 * k + 1]);
                                   });
    default:
      return write_numbers<double>(entries, Dataset(file, "values", H5T_IEEE_F64LE, said.entries),
                                   [&](std::uint64_t k, auto& to) { to.push_back(values[k]); });
  }
}

std::string_view type_name(Field field) {
  switch (field) {
    case Field::pattern: return "iso[uint8]";
    case Field::integer: return "int64";
    case Field::complex: return "complex[float64]";
    default: return "float64";
  }
}

std::string_view structure_name(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::symmetric: return "symmetric_lower";
    case Symmetry::skew_symmetric: return "skew_symmetric_lower";
    default: return "hermitian_lower";
  }
}

/// An attribute of more than 64 KiB cannot be written everywhere.
constexpr std::size_t longest_descriptor = 60000;

std::string descriptor_of(const Csr<Viewed>& a, const Declaration& said, const std::string& comments) {
  nlohmann::json text;
  nlohmann::json& descriptor = text["binsparse"];
  descriptor = {{"version", "0.1"},
                {"format", "CSR"},
                {"shape", {a.rows, a.cols}},
                {"number_of_stored_values", said.entries},
                {"data_types",
                 {{"pointers_to_1", position_type(said.entries) == DType::u32 ? "uint32" : "uint64"},
                  {"indices_1", "uint32"},
                  {"values", type_name(said.field)}}}};
  if (said.symmetry != Symmetry::general) descriptor["structure"] = structure_name(said.symmetry);
  const auto dump = [&] { return text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); };
  if (comments.empty() || comments.size() > longest_descriptor) return dump();
  text["comments"] = comments;
  if (std::string all = dump(); all.size() <= longest_descriptor) return all;  // escapes make it longer
  text.erase("comments");
  return dump();
}

Status write_descriptor(const std::string& text, const Handle& file) {
  const Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), text.size());
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR));
  const Handle attribute(H5Acreate2(file.id(), "binsparse", type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT));
  return !attribute.valid() || H5Awrite(attribute.id(), type.id(), text.data()) < 0 ? Status(failed_write()) : Ok{};
}

}  // namespace

Status write_binsparse(const Csr<Viewed>& a, const Declaration& said, const std::string& comments,
                       const std::string& path) {
  errno = 0;  // failed_write looks at it
  const Handle access = file_access();
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  if (!file.valid()) return failed_write();
  const Entries entries(a, said);
  SPRESS_CHECK(write_descriptor(descriptor_of(a, said, comments), file));
  SPRESS_CHECK(write_pointers(entries, a, said, file));
  SPRESS_CHECK(write_numbers<std::uint32_t>(entries, Dataset(file, "indices_1", H5T_STD_U32LE, said.entries),
                                            [&](std::uint64_t k, auto& to) { to.push_back(a.col_idx[k]); }));
  SPRESS_CHECK(write_values(entries, a, said, file));
  if (H5Fflush(file.id(), H5F_SCOPE_LOCAL) < 0) return failed_write();
  return Ok{};
}

}  // namespace spress::io::hdf5
