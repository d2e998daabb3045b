#include "formats/io/matlab/mat5.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/io/foreign/part_choice.hpp"
#include "formats/io/foreign/stored_matrix.hpp"
#include "formats/io/matlab/mat5_elements.hpp"
#include "formats/io/matlab/problem_texts.hpp"

namespace spress::io {
namespace {

using namespace mat5;

constexpr std::string_view banner = "MATLAB 5.0 MAT-";

/// Classes of arrays, as files number them.
enum class Class : std::uint8_t {
  cell = 1,
  structure = 2,
  object = 3,
  text = 4,
  sparse = 5,
  real = 6,
  single = 7,
  first_integer = 8,
  last_integer = 15,
  opaque = 17  ///< a string, a table, an object of a newer class
};

Error error_of(ErrorCode code, std::string message) { return {code, std::move(message)}; }

/// What begins every array.
struct Head {
  Class kind = Class::cell;
  bool complex = false, logical = false;
  std::vector<std::uint64_t> dims;
  std::string name;
  [[nodiscard]] bool is_number() const { return kind >= Class::real && kind <= Class::last_integer; }
  [[nodiscard]] bool is_integer() const { return kind >= Class::first_integer && kind <= Class::last_integer; }
};

/// A matrix with the memory of its arrays.
struct Kept {
  std::string name;
  StoredMatrix stored;
  Numbers rows, pointers, values, imaginary;
  void bind() {
    const auto view = [](const Numbers& numbers) { return StoredArray{numbers.type, numbers.bytes}; };
    stored.minor_ids = view(rows);
    stored.pointers = view(pointers);
    stored.values = view(values);
    stored.imaginary = view(imaginary);
  }
};

std::uint64_t number_at(const Numbers& numbers, std::uint64_t k) {
  std::int64_t value = 0;
  if (numbers.type == DType::i32 || numbers.type == DType::u32) {
    std::uint32_t word = 0;
    std::memcpy(&word, numbers.bytes.data() + 4 * k, sizeof word);
    value = numbers.type == DType::i32 ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
  } else {
    std::memcpy(&value, numbers.bytes.data() + 8 * k, sizeof value);
  }
  return static_cast<std::uint64_t>(value);
}

std::string parent_of(const std::string& name) { return name.substr(0, name.rfind('.')); }
std::string field_of(const std::string& name) { return name.substr(name.rfind('.') + 1); }

/// A name as it can be shown, up to its end or a 0.
std::string name_of(std::span<const std::uint8_t> bytes) {
  std::string name;
  for (const std::uint8_t c : bytes) {
    if (c == 0) break;
    name += c > 0x20 && c < 0x7F ? static_cast<char>(c) : '?';
  }
  return name;
}

Result<Head> read_head(ElementReader& in) {
  Head head;
  SPRESS_TRY(const Numbers flags, in.numbers("a variable's flags"));
  if (flags.type != DType::u32 || flags.size() != 2)
    return error_of(ErrorCode::damaged, "a variable's flags are damaged");
  const std::uint64_t word = number_at(flags, 0);
  head.kind = static_cast<Class>(word & 0xFF);
  head.complex = (word & 0x800) != 0;
  head.logical = (word & 0x200) != 0;
  if (head.kind == Class::opaque) {  // has no dimensions
    SPRESS_TRY(const Numbers name, in.numbers("a variable's name"));
    head.name = name_of(name.bytes);
    return head;
  }
  SPRESS_TRY(const Numbers dims, in.numbers("a variable's dimensions"));
  if (dims.type != DType::i32 && dims.type != DType::u32 && dims.type != DType::i64 && dims.type != DType::u64)
    return error_of(ErrorCode::damaged, "a variable's dimensions are damaged");
  for (std::uint64_t k = 0; k < dims.size(); ++k) {
    head.dims.push_back(number_at(dims, k));
    if (head.dims.back() > std::uint64_t{1} << 62)
      return error_of(ErrorCode::damaged, "a variable's dimensions are negative");
  }
  SPRESS_TRY(const Numbers name, in.numbers("a variable's name"));
  head.name = name_of(name.bytes);
  return head;
}

/// Reads variables one after another and keeps the best matrix so far.
class Variables {
 public:
  explicit Variables(const std::string& part) : choice_(part) {}

  /// An array within `in`, which ends with it. outer: the name of the field that it is, or empty for a variable.
  Status read(ElementReader& in, const std::string& outer, int depth) {
    if (in.left() == 0) return Ok{};  // an empty field
    SPRESS_TRY(const Head head, read_head(in));
    const std::string name = outer.empty() ? head.name : outer;
    if (name.empty()) return Ok{};  // what the objects of newer classes hold
    if (head.kind == Class::structure && depth < deepest) return read_struct(in, head, name, depth);
    if (head.kind == Class::text && !outer.empty() && is_problem_text(field_of(name))) return read_text(in, head, name);
    if (head.kind == Class::sparse && head.dims.size() == 2) return take_matrix(in, head, name);
    const bool matrix = head.is_number() && head.dims.size() == 2 && head.dims != scalar;
    if (matrix && (outer.empty() || field_of(name) == "A")) return take_matrix(in, head, name);
    if (outer.empty()) choice_.pass_over(name);
    return Ok{};
  }

  Result<Matrix> finish(int threads) {
    SPRESS_TRY(const std::string name, choice_.chosen());
    best_->bind();
    const std::string problem = parent_of(name);
    best_->stored.comments = comments_of(texts_[problem]);
    const bool has_zeros = zeros_ && name == problem + ".A" && zeros_->name == problem + ".Zeros";
    if (has_zeros) zeros_->bind();
    return assemble_stored(best_->stored, has_zeros ? &zeros_->stored : nullptr, threads);
  }

 private:
  static constexpr int deepest = 16;
  static inline const std::vector<std::uint64_t> scalar = {1, 1};

  Status read_struct(ElementReader& in, const Head& head, const std::string& name, int depth) {
    SPRESS_TRY(const Numbers width, in.numbers("the length of a struct's names"));
    SPRESS_TRY(const Numbers names, in.numbers("the names of a struct's fields"));
    if (width.type != DType::i32 || width.size() != 1 || number_at(width, 0) == 0 || number_at(width, 0) > 4096)
      return error_of(ErrorCode::damaged, "the names of the struct '" + name + "' are damaged");
    if (head.dims != scalar) return Ok{};  // an array of structs
    const std::uint64_t length = number_at(width, 0);
    for (std::uint64_t k = 0; k + length <= names.bytes.size(); k += length) {
      const std::string whole = name + '.' + name_of(std::span(names.bytes).subspan(k, length));
      SPRESS_TRY(const Tag tag, in.next("the field " + whole));
      if (tag.type != Type::matrix || tag.small)
        return error_of(ErrorCode::damaged, "the field " + whole + " is no array");
      ElementReader inner = in.take_part(tag);
      SPRESS_CHECK(read(inner, whole, depth + 1));
      SPRESS_CHECK(inner.skip_rest());
    }
    return Ok{};
  }

  Status read_text(ElementReader& in, const Head& head, const std::string& name) {
    SPRESS_TRY(const Numbers text, in.numbers("the text " + name));
    const bool fits = head.dims.size() == 2 && head.dims[0] <= text.size() && head.dims[1] <= text.size() &&
                      head.dims[0] * head.dims[1] == text.size();
    const std::size_t rows = fits ? head.dims[0] : 1, cols = fits ? head.dims[1] : text.size();
    std::string& lines = texts_[parent_of(name)][field_of(name)];
    if (text.type == DType::u16)
      lines = text_of_rows(reinterpret_cast<const std::uint16_t*>(text.bytes.data()), rows, cols);
    else if (text.type == DType::u32)
      lines = text_of_rows(reinterpret_cast<const std::uint32_t*>(text.bytes.data()), rows, cols);
    else if (size_of(text.type) == 1)
      lines = text_of_rows(reinterpret_cast<const char*>(text.bytes.data()), rows, cols);
    return Ok{};
  }

  Status take_matrix(ElementReader& in, const Head& head, const std::string& name) {
    const std::string problem = parent_of(name);
    const bool sparse = head.kind == Class::sparse, main = name == problem + ".A";
    const Claim claim = main ? Claim::main : sparse ? Claim::sparse : Claim::dense;
    const bool best = choice_.offer(name, claim, main ? problem : ""), zeros = sparse && field_of(name) == "Zeros";
    if (!best && !zeros) return Ok{};
    if (best && best_ && field_of(best_->name) == "Zeros") other_zeros_ = std::move(best_);
    const bool of_best = !best && best_ && best_->name == problem + ".A";
    std::optional<Kept>& place = best ? best_ : of_best ? zeros_ : other_zeros_;
    place.reset();
    SPRESS_TRY(place, read_matrix(in, head, name));
    if (!best) return Ok{};
    zeros_.reset();
    if (other_zeros_ && other_zeros_->name == problem + ".Zeros") zeros_.swap(other_zeros_);
    return Ok{};
  }

  static Result<std::optional<Kept>> read_matrix(ElementReader& in, const Head& head, const std::string& name) {
    std::optional<Kept> kept(std::in_place);
    kept->name = name;
    StoredMatrix& stored = kept->stored;
    stored.by_columns = true;
    stored.rows = head.dims[0];
    stored.cols = head.dims[1];
    stored.boolean = head.logical;
    const bool sparse = head.kind == Class::sparse;
    stored.arrangement = sparse ? Arrangement::compressed : Arrangement::dense;
    stored.field = head.complex ? Field::complex : head.logical || head.is_integer() ? Field::integer : Field::real;
    if (sparse) {
      SPRESS_TRY(kept->rows, in.numbers("the row ids of " + name));
      SPRESS_TRY(kept->pointers, in.numbers("the column pointers of " + name));
    }
    SPRESS_TRY(kept->values, in.numbers("the values of " + name));
    if (head.complex) {
      SPRESS_TRY(kept->imaginary, in.numbers("the imaginary parts of " + name));
    }
    if (sparse) drop_room(*kept);
    return kept;
  }

  /// Arrays may be longer than the last pointer says: MATLAB keeps room for more entries.
  static void drop_room(Kept& kept) {
    if (kept.pointers.type != DType::i32 || kept.pointers.bytes.empty()) return;
    const std::uint64_t entries = number_at(kept.pointers, kept.pointers.size() - 1);
    for (Numbers* numbers : {&kept.rows, &kept.values, &kept.imaginary})
      if (entries < numbers->size()) numbers->bytes.resize(entries * size_of(numbers->type));
  }

  PartChoice choice_;
  std::optional<Kept> best_, zeros_;  ///< the best matrix, and the explicit zeros of its struct
  std::optional<Kept> other_zeros_;   ///< of the struct read last, whose matrix is not the best, or not yet
  std::map<std::string, ProblemTexts> texts_;
};

Status read_variable(ElementReader& file, const Tag& tag, Variables& variables) {
  if (tag.type == Type::matrix && !tag.small) {
    ElementReader in = file.take_part(tag);
    SPRESS_CHECK(variables.read(in, {}, 0));
    return in.skip_rest();
  }
  if (tag.type != Type::compressed || tag.small) return file.skip(tag);
  ElementReader packed = file.take_part(tag);
  const auto inflated = inflate_stream(packed);
  ElementReader all(*inflated, file.swapped());
  SPRESS_TRY(const Tag inner, all.next("a compressed variable"));
  if (inner.type != Type::matrix || inner.small)
    return error_of(ErrorCode::damaged, "a compressed variable is no array");
  ElementReader in = all.take_part(inner);
  SPRESS_CHECK(variables.read(in, {}, 0));
  SPRESS_CHECK(drain(*inflated));  // to its checksum
  return packed.skip_rest();
}

}  // namespace

bool is_mat5(std::string_view head) { return head.starts_with(banner); }

Result<Matrix> read_mat5(ByteStream& stream, const std::string& part, int threads) {
  constexpr std::size_t head_bytes = 128, order_at = 126;
  std::array<char, head_bytes> head;
  SPRESS_TRY(const std::size_t got, stream.read(head.data(), head.size()));
  if (got != head.size()) return error_of(ErrorCode::truncated, "ends within the head of a MATLAB file");
  const std::string_view order(head.data() + order_at, 2);
  if (order != "IM" && order != "MI") return error_of(ErrorCode::damaged, "is no MATLAB 5 file: its head is damaged");
  ElementReader file(stream, order == "MI");
  Variables variables(part);
  for (;;) {
    SPRESS_TRY(const std::optional<Tag> tag, file.next_or_end("a variable"));
    if (!tag) break;
    SPRESS_CHECK(read_variable(file, *tag, variables));
  }
  return variables.finish(threads);
}

}  // namespace spress::io
