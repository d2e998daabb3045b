// Value stores: how the numbers of a matrix are held, apart from where they stand. Any index scheme works with any
// store, since kernels are templates over an accessor made here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "formats/core/array.hpp"
#include "formats/core/description.hpp"
#include "formats/core/result.hpp"

namespace spress {

/// What the numbers are. `none`: a pattern matrix, every entry counts as 1 and takes 0 bytes.
enum class ValueType : std::uint8_t { none, f32, f64, c128 };
template <>
struct EnumNames<ValueType> {
  static constexpr std::array<std::string_view, 4> names = {"none", "float", "double", "complex-double"};
};
[[nodiscard]] std::size_t size_of(ValueType type);    ///< bytes of one value, 0 for none
[[nodiscard]] DType dtype_of_values(ValueType type);  ///< Requires: type != none

/// How the numbers are held. Each store is lossless by bits (-0.0, NaN payloads).
enum class StoreKind : std::uint8_t {
  raw,     ///< the numbers themselves
  narrow,  ///< the same numbers exactly as float, int8, int16 or int32: the smallest that holds all
  lut8,    ///< a table of at most 256 distinct values and 8-bit codes
  lut16,   ///< a table of at most 65536 distinct values and 16-bit codes
  iso,     ///< all equal: one value
};
template <>
struct EnumNames<StoreKind> {
  static constexpr std::array<std::string_view, 5> names = {"raw", "narrow", "lut8", "lut16", "iso"};
};
inline constexpr std::array<StoreKind, 5> all_stores = {StoreKind::raw, StoreKind::narrow, StoreKind::lut8,
                                                        StoreKind::lut16, StoreKind::iso};

template <class Storage = Owned>
struct ValueStore {
  ValueType type = ValueType::none;
  StoreKind kind = StoreKind::raw;
  std::uint64_t count = 0;  ///< values, padding of the format included
  AnyArray<Storage> codes;  ///< raw: values; narrow: f32, i8, i16 or i32; lut8: u8; lut16: u16; none and iso: empty
  AnyArray<Storage> table;  ///< lut: the distinct values, most frequent first, ties by bit pattern; iso: the value

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("value_type", self.type...);
    visit.scalar("value_store", self.kind...);
    visit.scalar("value_count", self.count...);
    visit.array({"values", Role::value}, self.codes...);
    visit.array({"value_table", Role::value}, self.table...);
  }
};

/// Checks types, counts and that every code lies inside the table. Cost: one pass over the codes.
[[nodiscard]] Status validate(const ValueStore<Viewed>& store);

/// What values of type T are.
template <class T>
inline constexpr ValueType value_type_of = std::is_same_v<T, float>    ? ValueType::f32
                                           : std::is_same_v<T, double> ? ValueType::f64
                                                                       : ValueType::c128;

/// A raw store holding `values`.
template <class T>
[[nodiscard]] ValueStore<Owned> raw_store(HostArray<T> values) {
  ValueStore<Owned> store;
  store.type = value_type_of<T>;
  store.count = values.size();
  store.codes = AnyArray<Owned>(values);
  return store;
}
/// The store of a pattern matrix: `count` ones, no bytes.
[[nodiscard]] ValueStore<Owned> pattern_store(std::uint64_t count);

/// A raw store of `type` (not none) with room for `count` values, uninitialised.
[[nodiscard]] ValueStore<Owned> uninitialised_raw_store(ValueType type, std::uint64_t count);

/// A store like `source` (same type, kind and table), with room for `count` codes, uninitialised: what an encoder that
/// puts entries into another order fills.
[[nodiscard]] ValueStore<Owned> empty_like(const ValueStore<Viewed>& source, std::uint64_t count);

/// Codes [first, first + count) of a store with its table. Requires: they lie inside the store.
[[nodiscard]] ValueStore<Viewed> slice_of(const ValueStore<Viewed>& store, std::uint64_t first, std::uint64_t count);

/// Bytes of one code in `codes`: 0 for pattern and iso stores.
template <class Storage>
[[nodiscard]] std::size_t code_width(const ValueStore<Storage>& store) {
  const bool bare = store.type == ValueType::none || store.kind == StoreKind::iso;
  return bare ? 0 : size_of(store.codes.dtype());
}

/// Sixteen bytes moved and compared as one: a complex value by its bits.
struct Bytes16 {
  std::uint64_t low, high;
  auto operator<=>(const Bytes16&) const = default;
};

/// Calls move(to, from) with typed pointers to the codes of a store and of its source, both of one width; nothing is
/// called where codes have no bytes. For encoders: they permute codes and never look at values.
///   permute_codes(to, from, [&](auto* to, const auto* from) { to[k] = from[order[k]]; });
template <class Move>
void permute_codes(ValueStore<Owned>& to, const ValueStore<Viewed>& from, Move&& move) {
  switch (code_width(from)) {
    case 1: move(to.codes.memory.data(), from.codes.memory.data()); break;
    case 2:
      move(reinterpret_cast<std::uint16_t*>(to.codes.memory.data()),
           reinterpret_cast<const std::uint16_t*>(from.codes.memory.data()));
      break;
    case 4:
      move(reinterpret_cast<std::uint32_t*>(to.codes.memory.data()),
           reinterpret_cast<const std::uint32_t*>(from.codes.memory.data()));
      break;
    case 8:
      move(reinterpret_cast<std::uint64_t*>(to.codes.memory.data()),
           reinterpret_cast<const std::uint64_t*>(from.codes.memory.data()));
      break;
    case 16:
      move(reinterpret_cast<Bytes16*>(to.codes.memory.data()),
           reinterpret_cast<const Bytes16*>(from.codes.memory.data()));
      break;
    default: break;
  }
}

/// The same numbers in another store.
/// Errors: not_applicable where they do not fit (more than 256 distinct values for lut8, ...), or for any store but raw
/// of a pattern matrix.
[[nodiscard]] Result<ValueStore<Owned>> with_store(const ValueStore<Viewed>& source, StoreKind kind);

/// The numbers rounded (to nearest even) or widened to another real type; the kind becomes raw.
/// A pattern store stays as it is. Errors: not_applicable for complex values.
[[nodiscard]] Result<ValueStore<Owned>> with_type(const ValueStore<Viewed>& source, ValueType type);

/// True if `value` cast to Small and back has the same bits.
template <class Small, class T>
[[nodiscard]] bool fits_exactly(T value) {
  if constexpr (std::is_integral_v<Small>) {
    if (!(value >= static_cast<T>(std::numeric_limits<Small>::min()) &&
          value <= static_cast<T>(std::numeric_limits<Small>::max())))
      return false;  // casting what does not fit would be undefined; a NaN ends here too
  } else if (std::abs(value) > static_cast<T>(std::numeric_limits<Small>::max()) && !std::isinf(value)) {
    return false;
  }
  const T back = static_cast<T>(static_cast<Small>(value));
  return std::memcmp(&back, &value, sizeof value) == 0;
}

/// The types of a narrow store, in the order in which they are tried; bit k of a mask stands for the k-th of them.
inline constexpr std::array<DType, 4> narrow_types = {DType::i8, DType::i16, DType::f32, DType::i32};
inline constexpr unsigned all_narrow_types = (1u << narrow_types.size()) - 1;

/// True if fits_exactly is true of all n values.
template <class Small, class T>
[[nodiscard]] bool all_fit_exactly(const T* values, std::uint64_t n) {
  return std::all_of(values, values + n, [](T value) { return fits_exactly<Small>(value); });
}

/// The types in `mask` that are narrower than T and hold n values exactly. Complex values have none.
template <class T>
[[nodiscard]] unsigned narrow_types_holding(const T* values, std::uint64_t n, unsigned mask = all_narrow_types) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (sizeof(T) == sizeof(float)) mask &= 1 | 2;
    // Values that fit int8 fit the other types, too. Values that fit int16 fit int32 and float.
    if ((mask & 1) != 0 && all_fit_exactly<std::int8_t>(values, n)) return mask;
    if ((mask & 2) != 0 && all_fit_exactly<std::int16_t>(values, n)) return mask & ~1u;
    if constexpr (sizeof(T) > sizeof(float)) {
      const unsigned of_float = (mask & 4) != 0 && all_fit_exactly<float>(values, n) ? 4 : 0;
      const unsigned of_int32 = (mask & 8) != 0 && all_fit_exactly<std::int32_t>(values, n) ? 8 : 0;
      return of_float | of_int32;
    }
  }
  return 0;
}
/// What a narrow store of values takes, each of which the types in `mask` hold; none where there are no such types.
[[nodiscard]] std::optional<DType> narrowest(unsigned mask);
/// The type that StoreKind::narrow takes for the values; none if no narrower type holds all of them exactly.
/// threads: 0 for all. Requires: a raw store. Complexity: one pass over the values, which ends early if none holds
/// them.
[[nodiscard]] std::optional<DType> narrow_type(const ValueStore<Viewed>& raw, int threads = 0);

// --- Accessors: value i of a store as T. ----------------------------------------------------

template <class T, class Code>
struct CastAccessor {  // raw: Code == T; narrow: a smaller type
  const Code* codes;
  SPRESS_HD T operator[](std::uint64_t i) const { return static_cast<T>(codes[i]); }
};
template <class T, class Code>
struct TableAccessor {
  const Code* codes;
  const T* table;
  SPRESS_HD T operator[](std::uint64_t i) const { return table[codes[i]]; }
};
template <class T>
struct IsoAccessor {
  T value;
  /// at: the value, in host memory; null for a pattern, whose value is 1.
  constexpr explicit IsoAccessor(const T* at = nullptr) : value(at == nullptr ? T(1) : *at) {}
  T operator[](std::uint64_t) const { return value; }
};

/// True if a kernel computing in T can read the store (the same type, or a pattern).
template <class T, class Storage>
[[nodiscard]] bool readable_as(const ValueStore<Storage>& store) {
  return store.type == ValueType::none || (std::is_same_v<T, float> && store.type == ValueType::f32) ||
         (std::is_same_v<T, double> && store.type == ValueType::f64);
}

/// Calls use(accessor) with the accessor of the store. Iso: made from the address of the one value, or null for 1.
/// Requires: readable_as<T>(store), in host memory, unless Iso keeps the address alone, as devices have it.
template <class T, class Iso = IsoAccessor<T>, class Use>
void with_accessor(const ValueStore<Viewed>& store, Use&& use) {
  if (store.type == ValueType::none) return use(Iso{nullptr});
  const auto& codes = store.codes;
  switch (store.kind) {
    case StoreKind::raw: return use(CastAccessor<T, T>{codes.template as<T>()});
    case StoreKind::lut8:
      return use(TableAccessor<T, std::uint8_t>{codes.template as<std::uint8_t>(), store.table.template as<T>()});
    case StoreKind::lut16:
      return use(TableAccessor<T, std::uint16_t>{codes.template as<std::uint16_t>(), store.table.template as<T>()});
    case StoreKind::iso: return use(Iso{store.table.empty() ? nullptr : store.table.template as<T>()});
    case StoreKind::narrow: break;
  }
  if (codes.dtype() == DType::i8) return use(CastAccessor<T, std::int8_t>{codes.template as<std::int8_t>()});
  if (codes.dtype() == DType::i16) return use(CastAccessor<T, std::int16_t>{codes.template as<std::int16_t>()});
  if constexpr (std::is_same_v<T, double>) {
    if (codes.dtype() == DType::i32) return use(CastAccessor<T, std::int32_t>{codes.template as<std::int32_t>()});
    return use(CastAccessor<T, float>{codes.template as<float>()});
  }
}

}  // namespace spress
