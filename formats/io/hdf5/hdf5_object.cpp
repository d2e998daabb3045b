#include "formats/io/hdf5/hdf5_object.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "formats/io/entries/numbers.hpp"
#include "formats/io/hdf5/lzf.hpp"

namespace spress::io::hdf5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

constexpr unsigned lzf_filter = 32000;  // as registered by h5py

/// The filter of h5py: replaces what is in *buffer.
std::size_t unpack_lzf(unsigned flags, std::size_t parameters, const unsigned* values, std::size_t bytes,
                       std::size_t* room, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
  constexpr std::size_t most = std::numeric_limits<unsigned>::max();
  const std::size_t chunk = parameters > 2 ? values[2] : 0;
  if (chunk == 0 || chunk > most) return 0;
  auto* const to = static_cast<std::uint8_t*>(H5allocate_memory(chunk, false));
  if (to == nullptr) return 0;
  const std::size_t got = decompress_lzf({static_cast<const std::uint8_t*>(*buffer), bytes}, {to, chunk});
  if (got == 0) {
    H5free_memory(to);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = to;
  *room = chunk;
  return got;
}

herr_t keep_innermost(unsigned, const H5E_error2_t* failure, void* text) {
  if (failure->desc != nullptr) *static_cast<std::string*>(text) = failure->desc;
  return 0;
}

std::string member_name(hid_t type, unsigned k) {
  char* const name = H5Tget_member_name(type, k);
  std::string text = name == nullptr ? "" : name;
  H5free_memory(name);
  return text;
}

/// Whether an enumeration is that of Booleans, as h5py stores them: a byte, FALSE is 0 and TRUE is 1.
bool is_boolean(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || H5Tget_size(type) != 1) return false;
  for (unsigned k = 0; k < 2; ++k) {
    std::uint8_t value = 0;
    if (H5Tget_member_value(type, k, &value) < 0 || value != k) return false;
  }
  return member_name(type, 0) == "FALSE" && member_name(type, 1) == "TRUE";
}

/// The type in memory of an integer or a floating-point number; false for wider ones.
bool number_type(hid_t type, DType& number) {
  const std::size_t bytes = H5Tget_size(type);
  if (bytes > 8) return false;
  if (H5Tget_class(type) == H5T_FLOAT) {
    number = bytes > 4 ? DType::f64 : DType::f32;
    return true;
  }
  const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
  constexpr std::array<DType, 4> with_sign = {DType::i8, DType::i16, DType::i32, DType::i64},
                                 without = {DType::u8, DType::u16, DType::u32, DType::u64};
  std::size_t width = 0;
  while ((std::size_t{1} << width) < bytes) ++width;
  number = is_signed ? with_sign[width] : without[width];
  return true;
}

hid_t native_of(DType type) {
  switch (type) {
    case DType::u8: return H5T_NATIVE_UINT8;
    case DType::i8: return H5T_NATIVE_INT8;
    case DType::u16: return H5T_NATIVE_UINT16;
    case DType::i16: return H5T_NATIVE_INT16;
    case DType::u32: return H5T_NATIVE_UINT32;
    case DType::i32: return H5T_NATIVE_INT32;
    case DType::u64: return H5T_NATIVE_UINT64;
    case DType::i64: return H5T_NATIVE_INT64;
    case DType::f32: return H5T_NATIVE_FLOAT;
    default: return H5T_NATIVE_DOUBLE;
  }
}

bool native_is_signed(DType type) {
  return type == DType::i8 || type == DType::i16 || type == DType::i32 || type == DType::i64;
}

/// What integers are read as, so that negative ones are not clipped to 0 on the way.
hid_t integer_type(bool is_signed) { return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64; }

/// Of signed integers in their bits.
bool holds_negative(const std::vector<std::uint64_t>& values) {
  return std::any_of(values.begin(), values.end(), [](std::uint64_t value) { return value >> 63 != 0; });
}

std::string name_of_class(H5T_class_t kind) {
  switch (kind) {
    case H5T_STRING: return "strings";
    case H5T_COMPOUND: return "compounds";
    case H5T_REFERENCE: return "references";
    case H5T_ENUM: return "an enumeration";
    case H5T_VLEN: return "lists";
    case H5T_ARRAY: return "arrays";
    case H5T_INTEGER:
    case H5T_FLOAT: return "numbers of more than 64 bits";
    default: return "data of a type that is not read";
  }
}

/// A compound of two numbers of one type whose names begin with r and i: (r, i) of h5py, (real, imag) of MATLAB.
bool is_complex(hid_t type, DType& part) {
  if (H5Tget_nmembers(type) != 2) return false;
  std::array<DType, 2> parts;
  for (unsigned k = 0; k < 2; ++k) {
    const Handle member(H5Tget_member_type(type, k));
    const H5T_class_t kind = H5Tget_class(member.id());
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || !number_type(member.id(), parts[k])) return false;
  }
  part = parts[0];
  return parts[0] == parts[1] && member_name(type, 0).starts_with('r') && member_name(type, 1).starts_with('i');
}

Element element_of(hid_t type) {
  Element element;
  const H5T_class_t kind = H5Tget_class(type);
  element.other = name_of_class(kind);
  if ((kind == H5T_INTEGER || kind == H5T_FLOAT) && number_type(type, element.type)) {
    element.kind = Element::Kind::number;
  } else if (kind == H5T_ENUM && is_boolean(type)) {
    element.kind = Element::Kind::boolean;
    element.type = DType::u8;
  } else if (kind == H5T_COMPOUND && is_complex(type, element.type)) {
    element.kind = Element::Kind::complex;
  }
  return element;
}

/// How elements lie in memory once they are read.
Handle memory_type(hid_t stored, const Element& element) {
  const std::size_t bytes = size_of(element.type);
  if (element.kind == Element::Kind::number) return Handle(H5Tcopy(native_of(element.type)));
  if (element.kind == Element::Kind::boolean) return Handle(H5Tcopy(stored));
  Handle pair(H5Tcreate(H5T_COMPOUND, 2 * bytes));
  for (unsigned k = 0; k < 2; ++k)
    H5Tinsert(pair.id(), member_name(stored, k).c_str(), k * bytes, native_of(element.type));
  return pair;
}

}  // namespace

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}
Handle::~Handle() {
  if (id_ >= 0) H5Idec_ref(id_);
}

void prepare() {
  H5dont_atexit();
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);          // no code from folders that the environment names
  H5Lunregister(H5L_TYPE_EXTERNAL);  // no other files
  const H5Z_class2_t lzf = {H5Z_CLASS_T_VERS, static_cast<H5Z_filter_t>(lzf_filter), 0, 1, "lzf", nullptr, nullptr,
                            unpack_lzf};
  H5Zregister(&lzf);
}

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_stdio(access.id());
  return access;
}

std::string last_failure() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, &text);
  return text;
}

Error Object::error(ErrorCode code, std::string what) const {
  return {code, "'" + printable(path_) + "' " + std::move(what)};
}

Result<Object> Object::open_file(const std::string& path, std::uint64_t file_bytes) {
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const std::string why = last_failure();
  if (!file.valid()) {  // a file without a name, or without locks
    const Handle access = file_access();
    file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  }
  if (!file.valid()) return Error{ErrorCode::damaged, "cannot be opened as an HDF5 file: " + why};
  Handle root(H5Oopen(file.id(), "/", H5P_DEFAULT));
  if (!root.valid()) return Error{ErrorCode::damaged, "has no root group that can be read: " + last_failure()};
  return Object(std::move(root), "/", file_bytes);
}

Result<Object> Object::open(const std::string& name) const {
  const std::string whole = (path_ == "/" ? "/" : path_ + '/') + name;
  Handle handle(has(name) ? H5Oopen(handle_.id(), name.c_str(), H5P_DEFAULT) : -1);
  if (!handle.valid()) return error(ErrorCode::damaged, "has no '" + printable(name) + "' that can be read");
  return Object(std::move(handle), whole, file_bytes_);
}

bool Object::has(const std::string& name) const {
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {  // each link on the way
    const std::string part = name.substr(0, end);
    if (part.empty() || H5Lexists(handle_.id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) break;
  }
  return H5Oexists_by_name(handle_.id(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Object::names(std::size_t most) const {
  H5G_info_t facts = {};
  std::vector<std::string> names;
  if (H5Gget_info(handle_.id(), &facts) < 0) return names;
  for (hsize_t k = 0; k < std::min<hsize_t>(facts.nlinks, most); ++k) {
    std::array<char, 1024> name = {};
    const ssize_t length =
        H5Lget_name_by_idx(handle_.id(), ".", H5_INDEX_NAME, H5_ITER_NATIVE, k, name.data(), name.size(), H5P_DEFAULT);
    if (length > 0 && static_cast<std::size_t>(length) < name.size()) names.emplace_back(name.data());
  }
  return names;
}

bool Object::is_group() const { return H5Iget_type(handle_.id()) == H5I_GROUP; }
bool Object::is_dataset() const { return H5Iget_type(handle_.id()) == H5I_DATASET; }

bool Object::has_attribute(const std::string& name) const { return H5Aexists(handle_.id(), name.c_str()) > 0; }

std::optional<std::string> Object::text(const std::string& attribute) const {
  constexpr std::size_t longest = 1 << 20;
  if (!has_attribute(attribute)) return std::nullopt;
  const Handle opened(H5Aopen(handle_.id(), attribute.c_str(), H5P_DEFAULT));
  const Handle type(H5Aget_type(opened.id()));
  const Handle space(H5Aget_space(opened.id()));
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1) return std::nullopt;
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(opened.id(), type.id(), static_cast<void*>(&text)) < 0 || text == nullptr) return std::nullopt;
    std::string copy(text);
    H5free_memory(text);
    return copy;
  }
  const std::size_t bytes = H5Tget_size(type.id());
  if (bytes == 0 || bytes > longest) return std::nullopt;
  std::string text(bytes, '\0');
  if (H5Aread(opened.id(), type.id(), text.data()) < 0) return std::nullopt;
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::vector<std::uint64_t> Object::integers(const std::string& attribute) const {
  constexpr hssize_t most = 16;
  if (!has_attribute(attribute)) return {};
  const Handle opened(H5Aopen(handle_.id(), attribute.c_str(), H5P_DEFAULT));
  const Handle type(H5Aget_type(opened.id()));
  const Handle space(H5Aget_space(opened.id()));
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (H5Tget_class(type.id()) != H5T_INTEGER || count < 1 || count > most) return {};
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
  const bool is_signed = H5Tget_sign(type.id()) != H5T_SGN_NONE;
  if (H5Aread(opened.id(), integer_type(is_signed), values.data()) < 0) return {};
  if (is_signed && holds_negative(values)) return {};
  return values;
}

Element Object::element() const {
  if (!is_dataset()) return {};
  const Handle type(H5Dget_type(handle_.id()));
  return element_of(type.id());
}

std::vector<std::uint64_t> Object::dims() const {
  const Handle space(is_dataset() ? H5Dget_space(handle_.id()) : -1);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : 0;
  if (rank <= 0) return {};
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr);
  return {dims.begin(), dims.end()};
}

/// A claimed size is believed where the file is long enough for it at the best compression that deflate has, and small
/// ones always.
Status Object::check_storage(std::uint64_t claimed) const {
  constexpr std::uint64_t best_ratio = 1100, small = std::uint64_t{64} << 20;
  const Handle creation(H5Dget_create_plist(handle_.id()));
  if (H5Pget_external_count(creation.id()) > 0 || H5Pget_layout(creation.id()) == H5D_VIRTUAL)
    return error(ErrorCode::unsupported, "keeps its numbers in other files, which are not read");
  for (int k = 0; k < H5Pget_nfilters(creation.id()); ++k) {
    unsigned flags = 0, parameters_are = 0;
    std::size_t parameters = 0;
    std::array<char, 80> name = {};
    const H5Z_filter_t filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(k), &flags, &parameters, nullptr,
                                               name.size() - 1, name.data(), &parameters_are);
    if (H5Zfilter_avail(filter) <= 0)
      return error(ErrorCode::unsupported, "is compressed with filter " + std::to_string(filter) + " (" +
                                               printable(name.data()) + "), which is not read; gzip, lzf and szip are");
  }
  if (claimed > small && claimed / best_ratio > file_bytes_)
    return error(ErrorCode::damaged, "claims " + std::to_string(claimed) + " bytes of numbers, more than a file of " +
                                         std::to_string(file_bytes_) + " bytes can hold");
  if (H5Dget_storage_size(handle_.id()) == 0)
    return error(ErrorCode::damaged, "has a size, but its numbers were never written");
  return check_chunks();
}

/// Chunks that were never written would be read as zeros.
Status Object::check_chunks() const {
#if H5_VERSION_GE(1, 10, 5)
  const Handle creation(H5Dget_create_plist(handle_.id()));
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return Ok{};
  const std::vector<std::uint64_t> all = dims();
  std::array<hsize_t, H5S_MAX_RANK> chunk = {};
  const int rank = H5Pget_chunk(creation.id(), H5S_MAX_RANK, chunk.data());
  std::uint64_t wanted = 1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (rank < 0 || k >= static_cast<std::size_t>(rank) || chunk[k] == 0)
      return error(ErrorCode::damaged, "has chunks of another shape");
    const std::uint64_t along = all[k] / chunk[k] + (all[k] % chunk[k] != 0 ? 1 : 0);
    if (along != 0 && wanted > std::numeric_limits<std::uint64_t>::max() / along)
      return error(ErrorCode::damaged, "claims more than 2^64 chunks");
    wanted *= along;
  }
  const Handle space(H5Dget_space(handle_.id()));
  hsize_t written = 0;
  if (H5Dget_num_chunks(handle_.id(), space.id(), &written) < 0)
    return error(ErrorCode::damaged, "cannot be read: " + last_failure());
  if (written < wanted)
    return error(ErrorCode::truncated, "has " + std::to_string(written) + " of its " + std::to_string(wanted) +
                                           " chunks; the others were never written");
#endif
  return Ok{};
}

std::uint64_t Object::rows_of_chunk() const {
  const Handle creation(H5Dget_create_plist(handle_.id()));
  std::array<hsize_t, H5S_MAX_RANK> chunk = {1};
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return 1;
  return H5Pget_chunk(creation.id(), H5S_MAX_RANK, chunk.data()) > 0 ? std::max<hsize_t>(chunk[0], 1) : 1;
}

Result<Placed> Object::copy_to(ChildOutput& output) const {
  if (!is_dataset()) return error(ErrorCode::damaged, "is a group where an array is wanted");
  const Element element = this->element();
  if (element.kind == Element::Kind::other)
    return error(ErrorCode::unsupported, "holds " + element.other + " where numbers are wanted");
  const std::uint64_t width = size_of(element.type) * (element.kind == Element::Kind::complex ? 2 : 1);
  const std::vector<std::uint64_t> all = dims();
  if (all.empty()) return error(ErrorCode::damaged, "is a single number where an array is wanted");
  std::uint64_t row_bytes = width;
  for (std::size_t k = 1; k < all.size(); ++k) {
    if (all[k] != 0 && row_bytes > (std::uint64_t{1} << 40) / all[k])
      return error(ErrorCode::too_large, "has rows of more than 2^40 bytes");
    row_bytes *= all[k];
  }
  if (row_bytes != 0 && all[0] > std::numeric_limits<std::uint64_t>::max() / row_bytes)
    return error(ErrorCode::damaged, "claims more than 2^64 bytes");
  Placed placed{element.type, 0, all[0] * row_bytes / size_of(element.type)};
  SPRESS_TRY(placed.offset, output.append(nullptr, 0));
  if (placed.count == 0) return placed;
  SPRESS_CHECK(check_storage(all[0] * row_bytes));

  constexpr std::uint64_t piece_bytes = std::uint64_t{4} << 20;
  const std::uint64_t chunk = std::min(rows_of_chunk(), all[0]);
  const std::uint64_t step = std::min(all[0], chunk * std::max<std::uint64_t>(1, piece_bytes / (chunk * row_bytes)));
  const Handle stored(H5Dget_type(handle_.id()));
  const Handle memory = memory_type(stored.id(), element);
  const Handle space(H5Dget_space(handle_.id()));
  std::vector<hsize_t> begin(all.size(), 0), count(all.begin(), all.end());
  std::vector<std::uint8_t> piece(step * row_bytes);
  for (begin[0] = 0; begin[0] < all[0]; begin[0] += step) {
    count[0] = std::min<std::uint64_t>(step, all[0] - begin[0]);
    const hsize_t numbers = count[0] * (row_bytes / width);
    const Handle target(H5Screate_simple(1, &numbers, nullptr));
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr);
    if (H5Dread(handle_.id(), memory.id(), target.id(), space.id(), H5P_DEFAULT, piece.data()) < 0)
      return error(ErrorCode::damaged, "cannot be read: " + last_failure());
    SPRESS_CHECK(output.extend(piece.data(), numbers * width));
  }
  return placed;
}

Result<std::vector<std::uint64_t>> Object::small_integers() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  const Element element = this->element();
  std::uint64_t count = 1;
  for (const std::uint64_t n : dims())
    count = std::min<std::uint64_t>(count * std::min<std::uint64_t>(n, most + 1), most + 1);
  if (element.kind != Element::Kind::number || element.type == DType::f64 || element.type == DType::f32)
    return error(ErrorCode::damaged, "holds " + element.other + " where integers are wanted");
  if (count > most) return error(ErrorCode::damaged, "has more numbers than it may have");
  std::vector<std::uint64_t> values(count);
  if (count == 0) return values;
  SPRESS_CHECK(check_storage(8 * count));
  const bool is_signed = native_is_signed(element.type);
  if (H5Dread(handle_.id(), integer_type(is_signed), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return error(ErrorCode::damaged, "cannot be read: " + last_failure());
  if (is_signed && holds_negative(values))
    return error(ErrorCode::damaged, "holds a negative number where there can be none");
  return values;
}

}  // namespace spress::io::hdf5
