// One description per format. A format lists its scalars and arrays once, in a static `describe`, and everything
// generic follows from that list: byte breakdown, views, packing into one buffer, equality, checksums, container I/O.
//
//   template <class Visitor, class... Self>
//   static void describe(Visitor& visit, Self&... self) {
//     visit.scalar("rows", self.rows...);
//     visit.array({"row_ptr", Role::pointer}, self.row_ptr...);
//     visit.store(self.values...);
//   }
//
// The pack lets one walk go over several objects in step (an owned format and the view to be bound to it).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "formats/core/array.hpp"

namespace spress {

/// What an array is for. `value` arrays count as value bytes, all others as index bytes.
enum class Role : std::uint8_t { value, index, pointer, permutation, metadata };

[[nodiscard]] std::string_view to_string(Role role);

/// The name, the role, how many of the array's elements are padding, and how many of its bytes are values where an
/// array of another role mixes both (a stream of tuples). The name is valid during the visit only: that of an array in
/// a part is made for it (see Visitor::part). A file leaves an optional array out if it is empty.
struct ArrayInfo {
  std::string_view name;
  Role role = Role::metadata;
  std::uint64_t padding = 0;
  std::uint64_t mixed_value_bytes = 0;
  bool optional = false;
};

/// Names of an enumeration's values, in order from 0: specialised beside each enumeration that a format stores or
/// takes as a parameter.
template <class E>
struct EnumNames;

template <class E>
[[nodiscard]] constexpr std::string_view enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

namespace detail {

template <class Derived>
struct PartVisitor;

}  // namespace detail

/// Base of visitors: forwards nested stores and nested formats to their own descriptions.
template <class Derived>
struct Visitor {
  template <class... S>
  void store(S&... stores) {
    describe_with(static_cast<Derived&>(*this), stores...);
  }

  /// A format within a format: its scalars and arrays, their names behind `prefix` and an underscore. Its value store
  /// is not visited: the values of all parts stand in one store of the whole, so that a table is held once, and who
  /// works on a part gives it its piece of that store (slice_of in formats/values/values.hpp).
  template <class... Part>
  void part(std::string_view prefix, Part&... parts) {
    detail::PartVisitor<Derived> visitor(prefix, static_cast<Derived&>(*this));
    describe_with(visitor, parts...);
  }

 private:
  template <class V, class... S>
  static void describe_with(V& visitor, S&... described) {
    using First = std::tuple_element_t<0, std::tuple<S...>>;
    std::remove_cvref_t<First>::describe(visitor, described...);
  }
};

namespace detail {

template <class Derived>
struct PartVisitor : Visitor<PartVisitor<Derived>> {
  PartVisitor(std::string_view part, Derived& outer) : prefix_(std::string(part) + "_"), whole_(outer) {}
  template <class... T>
  void scalar(std::string_view name, T&... values) {
    const std::string full = prefix_ + std::string(name);
    whole_.scalar(full, values...);
  }
  template <class... A>
  void array(ArrayInfo info, A&... arrays) {
    const std::string full = prefix_ + std::string(info.name);
    info.name = full;
    whole_.array(info, arrays...);
  }
  template <class... S>
  void store(S&...) {}

 private:
  std::string prefix_;
  Derived& whole_;
};

template <class Fn>
struct ArrayWalker : Visitor<ArrayWalker<Fn>> {
  Fn fn;
  explicit ArrayWalker(Fn f) : fn(std::move(f)) {}
  template <class... T>
  void scalar(std::string_view, T&...) {}
  template <class... A>
  void array(const ArrayInfo& info, A&... arrays) {
    fn(info, arrays...);
  }
};

template <class Fn>
struct ScalarWalker : Visitor<ScalarWalker<Fn>> {
  Fn fn;
  explicit ScalarWalker(Fn f) : fn(std::move(f)) {}
  template <class... T>
  void scalar(std::string_view name, T&... values) {
    fn(name, values...);
  }
  template <class... A>
  void array(const ArrayInfo&, A&...) {}
};

}  // namespace detail

/// The version of a format's layout: F::layout_version where the format declares one, else 1. Every change of scalars
/// or arrays, of their order or their meaning, is a new version. Files state theirs, and a reader refuses any other.
template <class F>
inline constexpr std::uint64_t layout_version_of = [] {
  if constexpr (requires { F::layout_version; })
    return std::uint64_t{F::layout_version};
  else
    return std::uint64_t{1};
}();

/// Calls fn(info, array...) for each array of the formats given, walked in step.
template <class Fn, class First, class... Rest>
void for_each_array(Fn fn, First& first, Rest&... rest) {
  detail::ArrayWalker<Fn> walker{std::move(fn)};
  std::remove_cv_t<First>::describe(walker, first, rest...);
}

/// Calls fn(name, scalar...) for each scalar (integers and enumerations with EnumNames), walked in step.
template <class Fn, class First, class... Rest>
void for_each_scalar(Fn fn, First& first, Rest&... rest) {
  detail::ScalarWalker<Fn> walker{std::move(fn)};
  std::remove_cv_t<First>::describe(walker, first, rest...);
}

/// One row of a format's byte breakdown.
struct ArrayBytes {
  std::string name;
  Role role = Role::metadata;
  DType type = DType::u8;
  std::uint64_t count = 0;    ///< elements
  std::uint64_t bytes = 0;    ///< count * element size; alignment between arrays is not counted
  std::uint64_t padding = 0;  ///< bytes of it that are padding
};

template <class F>
[[nodiscard]] std::vector<ArrayBytes> byte_breakdown(const F& format) {
  std::vector<ArrayBytes> out;
  for_each_array(
      [&](const ArrayInfo& info, const auto& array) {
        out.push_back({std::string(info.name), info.role, array.dtype(), array.size(), array.bytes(),
                       info.padding * size_of(array.dtype())});
      },
      format);
  return out;
}

/// Bytes held by the arrays of a format, by what they are for.
struct ByteTotals {
  std::uint64_t value_bytes = 0;
  std::uint64_t index_bytes = 0;  ///< all that is not a value
  [[nodiscard]] std::uint64_t total() const { return value_bytes + index_bytes; }
};

template <class F>
[[nodiscard]] ByteTotals byte_totals(const F& format) {
  ByteTotals totals;
  for_each_array(
      [&](const ArrayInfo& info, const auto& array) {
        const std::uint64_t values = info.role == Role::value ? array.bytes() : info.mixed_value_bytes;
        totals.value_bytes += values;
        totals.index_bytes += array.bytes() - values;
      },
      format);
  return totals;
}

namespace detail {

template <class To, class From>
void copy_scalars(To& to, const From& from) {
  for_each_scalar([](std::string_view, auto& t, const auto& f) { t = f; }, to, from);
}

}  // namespace detail

/// The same format with its arrays seen, not owned. Valid while `format` lives unchanged.
template <template <class> class F>
[[nodiscard]] F<Viewed> view_of(const F<Owned>& format) {
  F<Viewed> view;
  detail::copy_scalars(view, format);
  for_each_array([](const ArrayInfo&, auto& v, const auto& owned) { v.bind(owned.dtype(), owned.raw(), owned.size()); },
                 view, format);
  return view;
}

/// Each array begins at a multiple of this in a packed buffer.
inline constexpr std::size_t packing_alignment = 256;

/// Bytes of one buffer that holds all arrays of a format, each aligned: what one transfer moves.
template <class F>
[[nodiscard]] std::size_t packed_size(const F& format) {
  std::size_t size = 0;
  for_each_array(
      [&](const ArrayInfo&, const auto& array) {
        size += (array.bytes() + packing_alignment - 1) / packing_alignment * packing_alignment;
      },
      format);
  return size;
}

/// A view of `format` as it lies in a packed buffer at `base`, which may be device memory: nothing is read or written.
template <template <class> class F, class S>
[[nodiscard]] F<Viewed> packed_view(const F<S>& format, const void* base) {
  F<Viewed> view;
  detail::copy_scalars(view, format);
  const auto* at = static_cast<const std::uint8_t*>(base);
  for_each_array(
      [&](const ArrayInfo&, auto& v, const auto& array) {
        v.bind(array.dtype(), at, array.size());
        at += (array.bytes() + packing_alignment - 1) / packing_alignment * packing_alignment;
      },
      view, format);
  return view;
}

/// Copies all arrays into `buffer` (packed_size bytes, gaps zeroed) and returns the view of them there.
template <template <class> class F, class S>
F<Viewed> pack(const F<S>& format, void* buffer) {
  auto* at = static_cast<std::uint8_t*>(buffer);
  for_each_array(
      [&](const ArrayInfo&, const auto& array) {
        const std::size_t bytes = array.bytes();
        const std::size_t room = (bytes + packing_alignment - 1) / packing_alignment * packing_alignment;
        if (bytes != 0) std::memcpy(at, array.raw(), bytes);
        if (room != bytes) std::memset(at + bytes, 0, room - bytes);
        at += room;
      },
      format);
  return packed_view(format, buffer);
}

/// Equal scalars and equal arrays, bit for bit (so 0.0 differs from -0.0, and a NaN equals itself).
template <template <class> class F, class A, class B>
[[nodiscard]] bool identical(const F<A>& a, const F<B>& b) {
  bool same = true;
  for_each_scalar([&](std::string_view, const auto& x, const auto& y) { same = same && x == y; }, a, b);
  for_each_array(
      [&](const ArrayInfo&, const auto& x, const auto& y) {
        same = same && x.dtype() == y.dtype() && x.size() == y.size() &&
               (x.bytes() == 0 || std::memcmp(x.raw(), y.raw(), x.bytes()) == 0);
      },
      a, b);
  return same;
}

/// 64-bit checksum of one piece of memory (XXH3), continued from `seed`.
[[nodiscard]] std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed = 0);

/// 64-bit checksum over all scalars and arrays of a format.
template <class F>
[[nodiscard]] std::uint64_t checksum_of(const F& format) {
  std::uint64_t sum = 0;
  for_each_scalar(
      [&](std::string_view, const auto& value) {
        const auto wide = static_cast<std::uint64_t>(value);
        sum = checksum(&wide, sizeof wide, sum);
      },
      format);
  for_each_array([&](const ArrayInfo&, const auto& array) { sum = checksum(array.raw(), array.bytes(), sum); }, format);
  return sum;
}

}  // namespace spress
