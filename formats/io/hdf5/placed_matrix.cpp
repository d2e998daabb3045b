#include "formats/io/hdf5/placed_matrix.hpp"

#include <cstring>
#include <string>
#include <type_traits>

namespace spress::io::hdf5 {
namespace {

static_assert(std::is_trivially_copyable_v<PlacedFile>);

Error damaged(const char* what) { return {ErrorCode::damaged, what}; }

/// Puts the places of one matrix back into arrays.
class Receiver {
 public:
  explicit Receiver(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  Result<StoredMatrix> take(const PlacedMatrix& from) {
    if (from.arrangement > Arrangement::dense || from.field > Field::pattern || from.symmetry > Symmetry::hermitian ||
        from.triangle > Triangle::upper)
      return damaged("the process that parsed it handed over what is no matrix: the file is damaged");
    StoredMatrix to;
    to.arrangement = from.arrangement;
    to.field = from.field;
    to.symmetry = from.symmetry;
    to.triangle = from.triangle;
    to.by_columns = from.by_columns;
    to.boolean = from.boolean;
    to.one_value = from.one_value;
    to.paired = from.paired;
    to.majors_listed = from.majors_listed;
    to.rows = from.rows;
    to.cols = from.cols;
    to.pointers = array(from.pointers);
    to.major_ids = array(from.major_ids);
    to.minor_ids = array(from.minor_ids);
    to.values = array(from.values);
    const StoredArray comments = array(from.comments);
    to.comments.assign(comments.bytes.begin(), comments.bytes.end());
    if (wrong_) return damaged("the process that parsed it handed over less than it says: the file is damaged");
    return to;
  }

 private:
  StoredArray array(const Placed& place) {
    if (place.count == 0) return {};
    constexpr std::uint64_t alignment = 8;
    const bool good = place.type <= DType::f64 && place.offset % alignment == 0 && place.offset <= bytes_.size() &&
                      place.count <= (bytes_.size() - place.offset) / size_of(place.type);
    wrong_ |= !good;
    if (!good) return {};
    return {place.type, bytes_.subspan(place.offset, place.count * size_of(place.type))};
  }

  std::span<const std::uint8_t> bytes_;
  bool wrong_ = false;
};

}  // namespace

Status PlacedMatrix::take_values(const Object& dataset, ChildOutput& output) {
  const Element element = dataset.element();
  SPRESS_TRY(values, dataset.copy_to(output));
  const bool floats = element.type == DType::f32 || element.type == DType::f64;
  paired = element.kind == Element::Kind::complex;
  boolean = element.kind == Element::Kind::boolean;
  field = paired ? Field::complex : floats ? Field::real : Field::integer;
  return Ok{};
}

Status PlacedMatrix::take_comments(const std::string& lines, ChildOutput& output) {
  for (std::size_t begin = 0; begin < lines.size(); begin = lines.find('\n', begin) + 1)
    if (lines[begin] != '%' || lines.back() != '\n') return Ok{};
  comments = {DType::u8, 0, lines.size()};
  SPRESS_TRY(comments.offset, output.append(lines.data(), lines.size()));
  return Ok{};
}

Status hand_over(const PlacedFile& file, ChildOutput& output) { return output.extend(&file, sizeof file); }

Result<ReceivedFile> receive(std::span<const std::uint8_t> bytes) {
  PlacedFile file;
  if (bytes.size() < sizeof file) return damaged("the process that parsed it handed over nothing: the file is damaged");
  std::memcpy(static_cast<void*>(&file), bytes.data() + bytes.size() - sizeof file, sizeof file);
  Receiver receiver(bytes.first(bytes.size() - sizeof file));
  ReceivedFile out;
  SPRESS_TRY(out.matrix, receiver.take(file.matrix));
  out.has_zeros = file.has_zeros;
  if (out.has_zeros) {
    SPRESS_TRY(out.zeros, receiver.take(file.zeros));
  }
  return out;
}

}  // namespace spress::io::hdf5
