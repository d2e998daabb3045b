// Fuzzes what stands between a damaged matrix and a kernel. The input names a matrix, a format and a value store, then
// edits of the encoded matrix: its scalars and the elements, lengths and types of its arrays. What validate accepts
// must decode to a valid matrix, and its products must be that matrix's.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/fuzz/one_thread.hpp"
#include "tests/fuzz/use.hpp"
#include "tests/scenarios.hpp"

namespace {

using namespace spress;

// --- Where it starts -------------------------------------------------------------------------------------------------

Csr<Owned> generated(const char* name) { return std::move(gallery::generate(parse_spec(name).value()).value().csr); }

/// Of each kind that some format holds in a way of its own, as small as it shows.
std::vector<Csr<Owned>> matrices() {
  std::vector<Csr<Owned>> out;
  for (const char* name : {"stencil27:n=4,values=noise", "elasticity3d:n=2,values=decimal", "powerlaw:n=70,values=few",
                           "arrow:n=80,values=noise", "lp:periods=2,rows=9,cols=12", "tridiag:n=70", "dense:n=13,m=19"})
    out.push_back(generated(name));
  tests::Scenario wide = {"", 40, 200000, {}, {}}, longest = {"", 3, 1300, {}, {}};
  for (std::uint32_t r = 0; r < wide.rows; r += 3)
    for (std::uint32_t k = 0; k < 6; ++k)
      wide.entries.emplace_back(r, (r * 7919u + k * 257u * (r + k)) % 30000 + k * 30011u);
  for (std::uint32_t k = 0; k < 1200; ++k) longest.entries.emplace_back(1, k + k / 60);
  for (const auto& s : {wide, longest, tests::Scenario{"", 0, 5, {}, {}}, tests::Scenario{"", 5, 0, {}, {}}})
    out.push_back(tests::make_csr(s));
  return out;
}

std::vector<Spec> specs() {
  auto out = all_formats();
  for (const char* text : {"opt-csr:index=anchored", "opt-csr:index=diagonal", "sell:c=4,sigma=8", "bcoo:b=10",
                           "slice-delta:sigma=64", "slice-delta:sigma=64,block=3", "amb:base=step,block=2,sigma=32",
                           "amb:base=none,segment=9", "amb:equal=entries,segment=20"})
    out.push_back(parse_spec(text).value());
  return out;
}

/// The matrix with other values: all_stores of doubles, then floats, none, and complex numbers.
Result<Csr<Owned>> with_other_values(const Csr<Owned>& a, std::size_t which) {
  if (which < all_stores.size()) return with_values(view_of(a), all_stores[which]);
  if (which == all_stores.size()) return with_value_type(view_of(a), ValueType::f32);
  Csr<Owned> out = a;
  out.values = which == all_stores.size() + 1 ? pattern_store(a.nnz)
                                              : raw_store(HostArray<std::complex<double>>(a.nnz, {1.5, -2}));
  return out;
}
constexpr std::size_t kinds_of_values = all_stores.size() + 3;

/// Encoded, or nothing where the format does not hold it.
const AnyFormat& encoded(std::size_t matrix, std::size_t spec, std::size_t values) {
  static const auto all_matrices = matrices();
  static const auto all_specs = specs();
  matrix %= all_matrices.size();
  spec %= all_specs.size();
  values %= kinds_of_values;
  static std::map<std::tuple<std::size_t, std::size_t, std::size_t>, AnyFormat> known;
  const auto [at, is_new] = known.try_emplace({matrix, spec, values});
  if (!is_new) return at->second;
  const auto a = with_other_values(all_matrices[matrix], values);
  if (!a.ok()) return at->second;
  auto any = encode_any(view_of(*a), all_specs[spec]);
  if (any.ok()) at->second = std::move(any).value();
  return at->second;
}

// --- What becomes of it ----------------------------------------------------------------------------------------------

struct Input {
  const std::uint8_t* data;
  std::size_t size;

  template <class T>
  T take() {
    T value = 0;
    const std::size_t bytes = std::min(sizeof value, size);
    if (bytes != 0) std::memcpy(&value, data, bytes);
    data += bytes;
    size -= bytes;
    return value;
  }
};

/// swap: two elements of an array; span: several from elsewhere in it. Seeds hold these numbers: new ones go last.
enum class How : std::uint8_t { set, add, copy, flip, resize, retype, swap, span, count };

struct Edit {
  std::uint8_t field;
  How how;
  std::uint16_t at;
  std::uint32_t value;

  explicit Edit(Input& in)
      : field(in.take<std::uint8_t>()),
        how(static_cast<How>(in.take<std::uint8_t>() % static_cast<unsigned>(How::count))),
        at(in.take<std::uint16_t>()),
        value(in.take<std::uint32_t>()) {}

  template <class T>
  void apply_to(T& scalar) const {
    if constexpr (std::is_enum_v<T>) {
      scalar = static_cast<T>(value % EnumNames<T>::names.size());
    } else {
      scalar = static_cast<T>(changed(scalar, scalar));
    }
  }
  template <class A>
  void apply_to_array(A& array) const {
    if (how == How::resize) return resize(array, array.dtype(), value % (2 * array.size() + 8));
    if (how == How::retype) return resize(array, static_cast<DType>(value % dtypes), array.size());
    const std::size_t width = std::min<std::size_t>(8, size_of(array.dtype()));
    const std::size_t count = array.bytes() / width;
    if (count == 0) return;
    auto* bytes = static_cast<std::uint8_t*>(array.raw());
    auto *to = bytes + width * (at % count), *from = bytes + width * (value % count);
    if (how == How::span) {
      const auto elements = std::min<std::size_t>(2 + (value >> 24) % 7, count - std::max(at % count, value % count));
      std::memmove(to, from, width * elements);
      return;
    }
    std::uint64_t element = 0, other = 0;
    std::memcpy(&element, to, width);
    std::memcpy(&other, from, width);
    if (how == How::swap) std::memcpy(from, &element, width);
    element = changed(element, other);
    std::memcpy(to, &element, width);
  }

 private:
  static constexpr std::size_t dtypes = static_cast<std::size_t>(DType::c128) + 1;

  std::uint64_t changed(std::uint64_t element, std::uint64_t other) const {
    switch (how) {
      case How::add: return element + static_cast<std::uint64_t>(static_cast<std::int8_t>(value));
      case How::copy:
      case How::swap: return other;
      case How::flip: return element ^ std::uint64_t{1} << value % 64;
      default: return value;
    }
  }
  template <class A>
  static void resize(A& array, DType type, std::size_t size) {
    const std::vector<std::uint8_t> before(static_cast<const std::uint8_t*>(array.raw()),
                                           static_cast<const std::uint8_t*>(array.raw()) + array.bytes());
    if (!array.allocate(type, size) || array.bytes() == 0) return;
    std::memset(array.raw(), 0, array.bytes());
    if (!before.empty()) std::memcpy(array.raw(), before.data(), std::min(before.size(), array.bytes()));
  }
};

template <class F>
void apply(const Edit& edit, F& f) {
  std::size_t fields = 0, field = 0;
  for_each_scalar([&](std::string_view, auto&) { ++fields; }, f);
  for_each_array([&](const ArrayInfo&, auto&) { ++fields; }, f);
  const std::size_t wanted = edit.field % fields;
  for_each_scalar(
      [&](std::string_view, auto& scalar) {
        if (field++ == wanted) edit.apply_to(scalar);
      },
      f);
  for_each_array(
      [&](const ArrayInfo&, auto& array) {
        if (field++ == wanted) edit.apply_to_array(array);
      },
      f);
}

template <template <class> class F>
void run(F<Owned> f, Input in) {
  while (in.size != 0) apply(Edit(in), f);
  if (fuzz::is_long_side(f.rows) || fuzz::is_long_side(f.cols)) return;
  if (validate(view_of(f)).ok()) fuzz::use<F>(view_of(f));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in = {data, std::min<std::size_t>(size, 3 + 12 * sizeof(Edit))};
  const auto matrix = in.take<std::uint8_t>(), spec = in.take<std::uint8_t>(), values = in.take<std::uint8_t>();
  with_any(encoded(matrix, spec, values), [&](const auto& f) { run(f, in); });
  return 0;
}
