#include "formats/gallery/build.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/gallery/random.hpp"

namespace spress::gallery {
namespace {

constexpr std::uint64_t max_distinct = std::uint64_t{1} << 20;

/// Rows in contiguous runs, the unit of work of a thread. Their number does not depend on the number of threads.
struct Chunks {
  std::uint64_t rows, count;
  explicit Chunks(std::uint64_t n) : rows(n), count(std::min<std::uint64_t>(n, 1024)) {}
  [[nodiscard]] std::uint64_t begin(std::uint64_t chunk) const { return chunk * rows / count; }

  /// `work`: rows or entries to be visited; where there is little, waking other threads costs more than it saves.
  template <class Use>
  void for_each(std::uint64_t work, Use use) const {
    RegionErrors errors;
#pragma omp parallel for schedule(dynamic) if (work > 32768)
    for (std::uint64_t chunk = 0; chunk < count; ++chunk) errors.attempt(use, chunk, begin(chunk), begin(chunk + 1));
    errors.rethrow();
  }
};

/// Random permutations of rows and columns, or the identity.
class Order {
 public:
  Order(const Rows& source, std::uint64_t seed) {
    if (seed == 0) return;
    old_row_ = shuffled_rows(source.rows(), seed);
    new_col_.resize(source.cols());
    const bool square = source.rows() == source.cols();
    invert(square ? old_row_ : random_permutation(source.cols(), Random(seed, Stream::column_shuffle)));
  }
  [[nodiscard]] bool identity() const { return old_row_.empty() && new_col_.empty(); }
  [[nodiscard]] std::uint64_t old_row(std::uint64_t row) const { return old_row_.empty() ? row : old_row_[row]; }
  [[nodiscard]] std::uint32_t new_col(std::uint32_t col) const { return new_col_[col]; }

 private:
  void invert(const std::vector<std::uint32_t>& old_col) {
    for (std::uint64_t i = 0; i < old_col.size(); ++i) new_col_[old_col[i]] = static_cast<std::uint32_t>(i);
  }
  std::vector<std::uint32_t> old_row_, new_col_;
};

/// `count` different numbers.
std::vector<double> distinct_numbers(std::uint64_t count, std::uint64_t seed) {
  const Random random(seed, Stream::table);
  std::vector<double> table;
  std::unordered_set<double> seen;
  for (std::uint64_t i = 0; table.size() < count; ++i) {
    const double value = noise(random(i));
    if (seen.insert(value).second) table.push_back(value);
  }
  return table;
}

/// Values drawn for an entry's place in the unshuffled matrix; from the unordered pair where they are to be symmetric.
class ValueMaker {
 public:
  ValueMaker(const Rows& source, const Common& common)
      : random_(common.seed, Stream::values),
        symmetric_(source.mirrored() == Mirrored::values),
        choice_(common.values) {
    const bool is_noise = choice_ == ValueChoice::natural && source.natural() == Natural::noise;
    const bool is_pattern = choice_ == ValueChoice::natural && source.natural() == Natural::pattern;
    if (is_noise) choice_ = ValueChoice::noise;
    if (is_pattern) choice_ = ValueChoice::pattern;
    if (choice_ == ValueChoice::few) table_ = distinct_numbers(common.distinct, common.seed);
  }
  [[nodiscard]] ValueChoice choice() const { return choice_; }

  void overwrite(std::uint64_t row, const std::uint32_t* cols, std::uint64_t n, double* values) const {
    switch (choice_) {
      case ValueChoice::noise: return draw(row, cols, n, values, [](std::uint64_t bits) { return noise(bits); });
      case ValueChoice::decimal:
        return draw(row, cols, n, values, [](std::uint64_t bits) { return short_decimal(bits); });
      case ValueChoice::few:
        return draw(row, cols, n, values, [this](std::uint64_t bits) { return table_[below(bits, table_.size())]; });
      default: return;
    }
  }

 private:
  template <class Make>
  void draw(std::uint64_t row, const std::uint32_t* cols, std::uint64_t n, double* values, Make make) const {
    for (std::uint64_t k = 0; k < n; ++k) {
      const std::uint64_t col = cols[k];
      const bool swap = symmetric_ && col < row;
      values[k] = make(swap ? random_(col, row) : random_(row, col));
    }
  }

  Random random_;
  bool symmetric_;
  ValueChoice choice_;
  std::vector<double> table_;
};

/// Entries in all chunks before each chunk, and the longest row.
struct Lengths {
  std::vector<std::uint64_t> before;
  std::uint64_t total = 0, longest = 0;
};

/// Stops counting where the total is above max_entries, so that absurd sizes are refused at once.
Lengths measure(const Rows& source, const Chunks& chunks, const Order& order) {
  Lengths out;
  std::atomic<std::uint64_t> counted = 0;
  out.before.resize(chunks.count);
  std::vector<std::uint64_t> longest(chunks.count);
  chunks.for_each(source.rows(), [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t sum = 0, most = 0;
    if (counted > max_entries) return;
    for (std::uint64_t row = begin; row < end; ++row) {
      const std::uint64_t length = source.length(order.old_row(row));
      sum += length;
      most = std::max(most, length);
    }
    counted += sum;
    out.before[chunk] = sum;
    longest[chunk] = most;
  });
  for (std::uint64_t chunk = 0; chunk < chunks.count; ++chunk) {
    out.total += std::exchange(out.before[chunk], out.total);
    out.longest = std::max(out.longest, longest[chunk]);
  }
  return out;
}

/// One row of a shuffled matrix before and while its columns are sorted.
struct Scratch {
  std::vector<std::uint32_t> cols;
  std::vector<double> values;
  std::vector<std::uint64_t> keys;  ///< new column, place in the old row
  explicit Scratch(std::uint64_t n) : cols(n), values(n), keys(n) {}
};

class Filler {
 public:
  Filler(const Rows& source, const Common& common, const Order& order)
      : source_(source), order_(order), maker_(source, common) {}

  [[nodiscard]] ValueChoice choice() const { return maker_.choice(); }
  [[nodiscard]] bool is_pattern() const { return choice() == ValueChoice::pattern; }

  /// Allocates the arrays and fills them.
  void run(const Chunks& chunks, const Lengths& lengths, Csr<Owned>& csr) {
    csr.row_ptr = Positions<Owned>(position_type(lengths.total), source_.rows() + 1);
    csr.col_idx = HostArray<std::uint32_t>(lengths.total);
    csr.values = is_pattern() ? pattern_store(lengths.total) : uninitialised_raw_store(ValueType::f64, lengths.total);
    if (!order_.identity()) scratch_.assign(static_cast<std::size_t>(thread_count(0)), Scratch(lengths.longest));
    double* values = is_pattern() ? nullptr : csr.values.codes.as<double>();
    fill_positions(csr.row_ptr, [&]<class P>(P* row_ptr) {
      row_ptr[source_.rows()] = static_cast<P>(lengths.total);
      chunks.for_each(lengths.total, [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
        std::uint64_t at = lengths.before[chunk];
        for (std::uint64_t row = begin; row < end; ++row) {
          row_ptr[row] = static_cast<P>(at);
          at += row_at(row, csr.col_idx.data() + at, values == nullptr ? nullptr : values + at);
        }
      });
    });
  }

 private:
  /// Writes one row and returns its length.
  std::uint64_t row_at(std::uint64_t row, std::uint32_t* cols, double* values) {
    if (order_.identity()) return old_row_at(row, cols, values);
    auto& scratch = scratch_[static_cast<std::size_t>(omp_get_thread_num())];
    const auto n =
        old_row_at(order_.old_row(row), scratch.cols.data(), values == nullptr ? nullptr : scratch.values.data());
    for (std::uint64_t k = 0; k < n; ++k) scratch.keys[k] = std::uint64_t{order_.new_col(scratch.cols[k])} << 32 | k;
    std::sort(scratch.keys.begin(), scratch.keys.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::uint64_t k = 0; k < n; ++k) {
      cols[k] = static_cast<std::uint32_t>(scratch.keys[k] >> 32);
      if (values != nullptr) values[k] = scratch.values[scratch.keys[k] & 0xFFFFFFFFu];
    }
    return n;
  }
  std::uint64_t old_row_at(std::uint64_t row, std::uint32_t* cols, double* values) const {
    RowWriter out(cols, values);
    source_.fill(row, out);
    assert(out.count() == source_.length(row));
    if (values != nullptr) maker_.overwrite(row, cols, out.count(), values);
    return out.count();
  }

  const Rows& source_;
  const Order& order_;
  ValueMaker maker_;
  std::vector<Scratch> scratch_;
};

/// "stencil27_n160_values-noise": one name for one spec, fit for a file name.
std::string name_of(const Spec& spec) {
  std::string name = spec.name;
  for (const auto& [key, value] : spec.options) {
    const bool digit = !value.empty() && value[0] >= '0' && value[0] <= '9';
    name += "_" + key + (digit ? "" : "-") + value;
  }
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain && c != '.' && c != '-') c = '_';
  }
  return name;
}

/// "gen:stencil27,n=160": as the command line takes it.
std::string path_of(const Spec& spec) {
  std::string path = "gen:" + spec.name;
  for (const auto& [key, value] : spec.options) path += "," + key + "=" + value;
  return path;
}

Field field_of(const Rows& source, ValueChoice resolved) {
  if (resolved == ValueChoice::pattern) return Field::pattern;
  const bool integer = resolved == ValueChoice::natural && source.natural() == Natural::integer;
  return integer ? Field::integer : Field::real;
}

Status check_sizes(const Rows& source, const Common& common, const Spec& spec) {
  if (source.rows() > max_side || source.cols() > max_side)
    return bad_parameter(spec.name, std::to_string(source.rows()) + " x " + std::to_string(source.cols()) +
                                        " is too large; at most 2147483647 rows and columns");
  if (common.distinct < 1 || common.distinct > max_distinct)
    return bad_parameter(
        spec.name, "distinct=" + std::to_string(common.distinct) + ": expected 1 to " + std::to_string(max_distinct));
  const auto is_distinct = [](const auto& option) { return option.first == "distinct"; };
  if (common.values != ValueChoice::few && std::any_of(spec.options.begin(), spec.options.end(), is_distinct))
    return bad_parameter(spec.name, "distinct=" + std::to_string(common.distinct) + " goes with values=few");
  return Ok{};
}

}  // namespace

Error bad_parameter(std::string_view name, std::string_view message) {
  return {ErrorCode::usage, std::string(name) + ": " + std::string(message)};
}

Result<std::uint64_t> checked_side(std::string_view name, std::initializer_list<Named> sides) {
  std::uint64_t product = 1;
  std::string text;
  for (const auto& [key, value] : sides) {
    if (value == 0) return bad_parameter(name, std::string(key) + "=0: expected at least 1");
    text += (text.empty() ? "" : " * ") + std::string(key);
    product = value > max_side || product > max_side ? max_side + 1 : product * value;
  }
  if (product > max_side) return bad_parameter(name, text + " is too large; at most 2147483647");
  return product;
}

std::vector<std::uint32_t> shuffled_rows(std::uint64_t rows, std::uint64_t seed) {
  return random_permutation(rows, Random(seed, Stream::row_shuffle));
}

Result<Matrix> build(const Rows& source, const Common& common, const Spec& spec) {
  SPRESS_CHECK(check_sizes(source, common, spec));
  const Chunks chunks(source.rows());
  const Order order(source, common.shuffle);
  const Lengths lengths = measure(source, chunks, order);
  if (lengths.total > max_entries)
    return Error{ErrorCode::too_large, spec.text() + ": more than 2^40 entries; take smaller sides"};

  Matrix matrix;
  Filler filler(source, common, order);
  matrix.csr.rows = source.rows();
  matrix.csr.cols = source.cols();
  matrix.csr.nnz = lengths.total;
  filler.run(chunks, lengths, matrix.csr);

  const bool symmetric =
      source.mirrored() == Mirrored::values || (filler.is_pattern() && source.mirrored() == Mirrored::pattern);
  matrix.info = {name_of(spec),
                 path_of(spec),
                 field_of(source, filler.choice()),
                 symmetric ? Symmetry::symmetric : Symmetry::general,
                 lengths.total,
                 0};
  return matrix;
}

}  // namespace spress::gallery
