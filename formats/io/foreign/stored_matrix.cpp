#include "formats/io/foreign/stored_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/checks.hpp"
#include "formats/core/memory.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/entries.hpp"
#include "formats/io/entries/exact_integer.hpp"

namespace spress::io {
namespace {

constexpr std::uint64_t block_entries = std::uint64_t{1} << 15;

Error error_of(ErrorCode code, std::string message) { return {code, std::move(message)}; }

/// Calls use(elements) with the array as a pointer to its elements.
template <class Use>
decltype(auto) with_elements(const StoredArray& array, Use&& use) {
  const void* at = array.bytes.data();
  switch (array.type) {
    case DType::u8: return use(static_cast<const std::uint8_t*>(at));
    case DType::i8: return use(static_cast<const std::int8_t*>(at));
    case DType::u16: return use(static_cast<const std::uint16_t*>(at));
    case DType::i16: return use(static_cast<const std::int16_t*>(at));
    case DType::u32: return use(static_cast<const std::uint32_t*>(at));
    case DType::i32: return use(static_cast<const std::int32_t*>(at));
    case DType::u64: return use(static_cast<const std::uint64_t*>(at));
    case DType::i64: return use(static_cast<const std::int64_t*>(at));
    case DType::f32: return use(static_cast<const float*>(at));
    default: return use(static_cast<const double*>(at));
  }
}

/// An element as a position or id: false where it is none below 2^53, such as -1 or 0.5.
template <class T>
bool as_count(T element, std::uint64_t& count) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!(element >= 0) || element > static_cast<T>(largest_exact_integer) || element != std::trunc(element))
      return false;
  } else if constexpr (std::is_signed_v<T>) {
    if (element < 0) return false;
  }
  count = static_cast<std::uint64_t>(element);
  return true;
}

template <class T>
std::string text_of(T element) {
  if constexpr (sizeof(T) == 1) return std::to_string(static_cast<int>(element));
  return std::to_string(element);
}

Status same_length(std::string_view what, std::uint64_t has, std::string_view than, std::uint64_t wanted) {
  if (has == wanted) return Ok{};
  return error_of(ErrorCode::damaged, "there are " + std::to_string(has) + ' ' + std::string(what) + ", and " +
                                          std::to_string(wanted) + ' ' + std::string(than));
}

/// The entries [first, last) of a block, unpacked.
struct Entries {
  std::vector<std::uint32_t> rows, cols;
  std::vector<double> values;
  BlockArena arena;
};

/// Makes blocks of entries from the arrays of one matrix.
class Blocks {
 public:
  Blocks(const StoredMatrix& stored, Field field, bool zero_values)
      : stored_(stored),
        field_(field),
        zero_values_(zero_values),
        majors_(stored.by_columns ? stored.cols : stored.rows),
        minors_(stored.by_columns ? stored.rows : stored.cols) {}

  /// Checks the lengths of the arrays and the pointers.
  Status prepare() {
    switch (stored_.arrangement) {
      case Arrangement::coordinates: entries_ = stored_.minor_ids.size(); break;
      case Arrangement::compressed: SPRESS_CHECK(read_pointers()); break;
      case Arrangement::dense: return prepare_dense();
    }
    if (stored_.arrangement == Arrangement::coordinates)
      SPRESS_CHECK(same_length(stored_.by_columns ? "column ids" : "row ids", stored_.major_ids.size(),
                               stored_.by_columns ? "row ids" : "column ids", entries_));
    return check_values(entries_);
  }

  [[nodiscard]] std::uint64_t count() const { return (entries_ + block_entries - 1) / block_entries; }

  /// Block b, entries in the order of the arrays. Errors: the first in the block.
  Result<EntryBlock> make(std::uint64_t b, Entries& room) const {
    const std::uint64_t first = b * block_entries, last = std::min(first + block_entries, entries_);
    room.rows.clear();
    room.cols.clear();
    room.values.clear();
    SPRESS_CHECK(stored_.arrangement == Arrangement::dense ? take_dense(first, last, room)
                                                           : take_sparse(first, last, room));
    EntryBlock block;
    block.index = b;
    block.entries = room.rows.size();
    pack_into(block, room.rows, room.cols, room.values, room.arena);
    return block;
  }

 private:
  std::string_view major_name() const { return stored_.by_columns ? "column" : "row"; }
  std::string_view minor_name() const { return stored_.by_columns ? "row" : "column"; }

  Status check_values(std::uint64_t wanted) const {
    if (field_ == Field::pattern || zero_values_) return Ok{};
    const std::uint64_t per_entry = stored_.paired ? 2 : 1;
    const std::uint64_t count = stored_.one_value ? 1 : wanted;
    if (stored_.values.size() % per_entry != 0)
      return error_of(ErrorCode::damaged, "the complex values are no pairs: there are " +
                                              std::to_string(stored_.values.size()) + " numbers");
    SPRESS_CHECK(same_length("values", stored_.values.size() / per_entry,
                             stored_.one_value ? "is wanted for all entries" : "entries", count));
    if (field_ == Field::complex && !stored_.paired)
      return same_length("imaginary parts", stored_.imaginary.size(), "real parts", count);
    return Ok{};
  }

  Status prepare_dense() {
    if (majors_ != 0 && minors_ > std::numeric_limits<std::uint64_t>::max() / majors_)
      return error_of(ErrorCode::too_large, "a dense array of this shape has more than 2^64 numbers");
    entries_ = majors_ * minors_;
    return check_values(entries_);
  }

  Status read_pointers() {
    const std::uint64_t listed = stored_.majors_listed ? stored_.major_ids.size() : majors_;
    entries_ = stored_.minor_ids.size();
    if (stored_.pointers.size() != listed + 1)
      return error_of(ErrorCode::damaged, "there are " + std::to_string(stored_.pointers.size()) + " pointers, and " +
                                              std::to_string(listed + 1) + " are wanted for " + std::to_string(listed) +
                                              ' ' + std::string(major_name()) + 's');
    pointers_.resize(listed + 1);
    SPRESS_CHECK(with_elements(stored_.pointers, [&](const auto* from) { return convert_pointers(from); }));
    return Ok{};
  }

  template <class T>
  Status convert_pointers(const T* from) {
    std::uint64_t before = 0;
    for (std::uint64_t k = 0; k < pointers_.size(); ++k) {
      const bool count = as_count(from[k], pointers_[k]);
      if (!count || pointers_[k] < before || (k == 0 && pointers_[k] != 0))
        return error_of(ErrorCode::damaged,
                        "pointer " + std::to_string(k) + " is " + text_of(from[k]) +
                            (k == 0 ? "; the first one must be 0"
                                    : "; pointers ascend, and the one before is " + std::to_string(before)));
      before = pointers_[k];
    }
    return same_length("entries that the pointers count", before, std::string(minor_name()) + " ids", entries_);
  }

  /// Converts ids [first, last) of an array, which must be below `side`.
  Status take_ids(const StoredArray& array, std::string_view what, std::uint64_t side, std::uint64_t first,
                  std::uint64_t last, std::vector<std::uint32_t>& to) const {
    to.resize(last - first);
    return with_elements(array, [&](const auto* from) -> Status {
      for (std::uint64_t k = first; k < last; ++k) {
        std::uint64_t id = 0;
        if (!as_count(from[k], id) || id >= side)
          return error_of(ErrorCode::out_of_range, "the " + std::string(what) + " id of entry " + std::to_string(k) +
                                                       " is " + text_of(from[k]) +
                                                       "; ids count from 0, and there are " + std::to_string(side) +
                                                       ' ' + std::string(what) + 's');
        to[k - first] = static_cast<std::uint32_t>(id);
      }
      return Ok{};
    });
  }

  Status take_sparse(std::uint64_t first, std::uint64_t last, Entries& room) const {
    auto& majors = stored_.by_columns ? room.cols : room.rows;
    auto& minors = stored_.by_columns ? room.rows : room.cols;
    SPRESS_CHECK(take_ids(stored_.minor_ids, minor_name(), minors_, first, last, minors));
    if (stored_.arrangement == Arrangement::coordinates) {
      SPRESS_CHECK(take_ids(stored_.major_ids, major_name(), majors_, first, last, majors));
    } else {
      SPRESS_CHECK(take_majors(first, last, majors));
    }
    SPRESS_CHECK(take_values(first, last, room.values));
    return check_triangle(first, room);
  }

  Status take_majors(std::uint64_t first, std::uint64_t last, std::vector<std::uint32_t>& to) const {
    to.resize(last - first);
    auto at =
        static_cast<std::uint64_t>(std::upper_bound(pointers_.begin(), pointers_.end(), first) - pointers_.begin()) - 1;
    for (std::uint64_t k = first; k < last;) {
      while (pointers_[at + 1] <= k) ++at;
      const std::uint64_t end = std::min(last, pointers_[at + 1]);
      std::uint32_t major = static_cast<std::uint32_t>(at);
      if (stored_.majors_listed) {
        std::vector<std::uint32_t> id;
        SPRESS_CHECK(take_ids(stored_.major_ids, major_name(), majors_, at, at + 1, id));
        major = id[0];
      }
      std::fill(to.begin() + static_cast<std::ptrdiff_t>(k - first),
                to.begin() + static_cast<std::ptrdiff_t>(end - first), major);
      k = end;
    }
    return Ok{};
  }

  template <class T>
  static Status convert_values(const T* from, std::uint64_t first, std::uint64_t count, std::size_t step, double* to) {
    for (std::uint64_t k = 0; k < count; ++k) {
      const T element = from[first + k];
      to[k * step] = static_cast<double>(element);
      if constexpr (sizeof(T) == 8 && !std::is_floating_point_v<T>)
        if (std::abs(to[k * step]) > static_cast<double>(largest_exact_integer) ||
            static_cast<T>(to[k * step]) != element)
          return error_of(ErrorCode::not_representable,
                          "the value of entry " + std::to_string(first + k) + " is " + std::to_string(element) +
                              ", beyond 2^53, where double no longer holds every integer");
    }
    return Ok{};
  }

  Status take_values(std::uint64_t first, std::uint64_t last, std::vector<double>& to) const {
    if (field_ == Field::pattern) return Ok{};
    const bool complex = field_ == Field::complex;
    const std::uint64_t width = complex ? 2 : 1;
    to.assign((last - first) * width, 0.0);
    if (zero_values_ || first == last) return Ok{};
    const std::uint64_t from = stored_.one_value ? 0 : first, count = stored_.one_value ? 1 : last - first;
    if (!complex || stored_.paired) {
      SPRESS_CHECK(with_elements(stored_.values, [&](const auto* elements) {
        return convert_values(elements, from * width, count * width, 1, to.data());
      }));
    } else {
      SPRESS_CHECK(with_elements(
          stored_.values, [&](const auto* elements) { return convert_values(elements, from, count, 2, to.data()); }));
      SPRESS_CHECK(with_elements(stored_.imaginary, [&](const auto* elements) {
        return convert_values(elements, from, count, 2, to.data() + 1);
      }));
    }
    if (stored_.one_value)
      for (std::size_t k = width; k < to.size(); ++k) to[k] = to[k - width];
    if (stored_.boolean)
      for (double& value : to) value = value != 0 ? 1 : 0;
    return Ok{};
  }

  Status take_dense(std::uint64_t first, std::uint64_t last, Entries& room) const {
    SPRESS_CHECK(take_values(first, last, room.values));
    const std::size_t width = field_ == Field::complex ? 2 : 1;
    std::size_t kept = 0;
    for (std::uint64_t k = first; k < last; ++k) {
      const double* value = room.values.data() + (k - first) * width;
      if (value[0] == 0 && (width == 1 || value[1] == 0)) continue;
      const auto major = static_cast<std::uint32_t>(k / minors_), minor = static_cast<std::uint32_t>(k % minors_);
      room.rows.push_back(stored_.by_columns ? minor : major);
      room.cols.push_back(stored_.by_columns ? major : minor);
      std::copy_n(value, width, room.values.data() + kept * width);
      ++kept;
    }
    room.values.resize(kept * width);
    return check_triangle(first, room);
  }

  Status check_triangle(std::uint64_t first, const Entries& room) const {
    if (stored_.symmetry == Symmetry::general) return Ok{};
    const bool lower = stored_.triangle == Triangle::lower;
    const std::size_t width = field_ == Field::complex ? 2 : 1;
    for (std::size_t k = 0; k < room.rows.size(); ++k) {
      const std::uint32_t row = room.rows[k], col = room.cols[k];
      const double* value = field_ == Field::pattern ? nullptr : room.values.data() + k * width;
      std::string_view wrong;
      if (lower ? row < col : row > col)
        wrong = lower ? "is outside the lower triangle, which alone is stored"
                      : "is outside the upper triangle, which alone is stored";
      else if (row == col && stored_.symmetry == Symmetry::hermitian && value[1] != 0)
        wrong = "is not real, as the diagonal of a hermitian matrix is";
      else if (row == col && stored_.symmetry == Symmetry::skew_symmetric &&
               (value == nullptr || value[0] != 0 || (width == 2 && value[1] != 0)))
        wrong = "is not 0, as the diagonal of a skew-symmetric matrix is";
      if (wrong.empty()) continue;
      return error_of(ErrorCode::damaged, "entry " + std::to_string(first + k) + " at row " + std::to_string(row) +
                                              ", column " + std::to_string(col) + " (from 0) " + std::string(wrong));
    }
    return Ok{};
  }

  const StoredMatrix& stored_;
  Field field_;
  bool zero_values_;
  std::uint64_t majors_, minors_, entries_ = 0;
  std::vector<std::uint64_t> pointers_;
};

/// Whether all values are true, or there is one integer 1 for all.
bool has_pattern_values(const StoredMatrix& stored) {
  if (!stored.boolean && (!stored.one_value || stored.field != Field::integer)) return false;
  if (stored.arrangement == Arrangement::dense || stored.symmetry == Symmetry::skew_symmetric) return false;
  return with_elements(stored.values, [&](const auto* values) {
    return std::all_of(values, values + stored.values.size(),
                       [&](auto value) { return stored.boolean ? value != 0 : value == 1; });
  });
}

Result<Field> field_of(const StoredMatrix& stored) {
  if (stored.symmetry == Symmetry::hermitian && stored.field != Field::complex)
    return error_of(ErrorCode::damaged, "is declared hermitian, and its values are not complex");
  return has_pattern_values(stored) ? Field::pattern : stored.field;
}

Status same_shape(const StoredMatrix& zeros, const StoredMatrix& a) {
  if (zeros.rows == a.rows && zeros.cols == a.cols) return Ok{};
  const auto shape = [](const StoredMatrix& m) { return std::to_string(m.rows) + " x " + std::to_string(m.cols); };
  return error_of(ErrorCode::damaged, "Zeros is " + shape(zeros) + ", A is " + shape(a) +
                                          "; the explicit zeros of a matrix have its shape");
}

/// Few entries are not worth a second thread.
int useful_threads(std::uint64_t blocks, int threads) {
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(thread_count(threads)), 1 + blocks));
}

Status add_blocks(const StoredMatrix& stored, Field field, bool zero_values, int threads,
                  std::vector<EntryBlock>& blocks) {
  Blocks maker(stored, field, zero_values);
  SPRESS_CHECK(maker.prepare());
  const std::size_t before = blocks.size();
  blocks.resize(before + maker.count());
  return parallel_try(
      maker.count(), useful_threads(maker.count(), threads), [] { return Entries(); },
      [&](Entries& room, std::size_t b) -> Status {
        SPRESS_TRY(blocks[before + b], maker.make(b, room));
        return Ok{};
      });
}

}  // namespace

Result<Matrix> assemble_stored(const StoredMatrix& stored, const StoredMatrix* zeros, int threads) {
  SPRESS_CHECK(checks::sides(stored.rows, stored.cols));
  if (stored.symmetry != Symmetry::general && stored.rows != stored.cols)
    return error_of(ErrorCode::damaged, "is declared " + std::string(enum_name(stored.symmetry)) +
                                            ", and is not square: " + std::to_string(stored.rows) + " x " +
                                            std::to_string(stored.cols));
  SPRESS_CHECK(fits_memory(8 * (stored.rows + 1), "one pointer for each row"));
  MatrixHead head{stored.field, stored.symmetry, stored.rows, stored.cols};
  SPRESS_TRY(head.field, field_of(stored));
  std::vector<EntryBlock> blocks;
  SPRESS_CHECK(add_blocks(stored, head.field, false, threads, blocks));
  if (zeros != nullptr) {
    SPRESS_CHECK(same_shape(*zeros, stored));
    SPRESS_CHECK(add_blocks(*zeros, head.field, true, threads, blocks));
  }
  for (const EntryBlock& block : blocks) head.entries += block.entries;
  SPRESS_TRY(Matrix matrix, matrix_of_entries(head, blocks, useful_threads(blocks.size(), threads)));
  matrix.info.comments = stored.comments;
  return matrix;
}

}  // namespace spress::io
