#include "formats/values/values.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/checks.hpp"
#include "formats/values/distinct.hpp"

namespace spress {
namespace {

using checks::damaged;

Error not_applicable(std::string message) { return {ErrorCode::not_applicable, std::move(message)}; }

template <class Code, class Bits>
Result<ValueStore<Owned>> make_table(const ValueStore<Viewed>& raw, StoreKind kind, const Bits* bits) {
  constexpr std::size_t limit = std::size_t{1} << (8 * sizeof(Code));
  auto numbers = count_distinct(bits, raw.count, limit, 0);
  if (!numbers)
    return not_applicable("more than " + std::to_string(limit) + " distinct values do not fit " +
                          std::string(enum_name(kind)));
  std::vector<std::pair<Bits, std::uint64_t>> order;
  numbers->for_each([&](const Bits& value, std::uint64_t count) { order.emplace_back(value, count); });
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  ValueStore<Owned> store;
  store.type = raw.type;
  store.kind = kind;
  store.count = raw.count;
  store.table = AnyArray<Owned>(dtype_of_values(raw.type), order.size());
  auto* table = reinterpret_cast<Bits*>(store.table.memory.data());
  for (std::size_t i = 0; i < order.size(); ++i) {
    table[i] = order[i].first;
    numbers->at(order[i].first) = i + 1;  // from here on: one more than the code
  }
  store.codes = AnyArray<Owned>(dtype_of<Code>(), raw.count);
  parallel_for(raw.count, threads_worth(0, raw.count), [&, codes = store.codes.as<Code>()](std::uint64_t i) {
    codes[i] = static_cast<Code>(numbers->count(bits[i]) - 1);
  });
  return store;
}

Result<ValueStore<Owned>> make_iso(const ValueStore<Viewed>& raw) {
  return with_bits(raw, [&]<class Bits>(const Bits* bits) -> Result<ValueStore<Owned>> {
    if (raw.count == 0) return not_applicable("no values: nothing to be equal");
    const bool equal = parallel_all_of(raw.count, 0, [&](std::uint64_t first, std::uint64_t last) {
      return std::all_of(bits + first, bits + last, [&](const Bits& other) { return other == bits[0]; });
    });
    if (!equal) return not_applicable("the values are not all equal");
    ValueStore<Owned> store;
    store.type = raw.type;
    store.kind = StoreKind::iso;
    store.count = raw.count;
    store.table = AnyArray<Owned>(dtype_of_values(raw.type), 1);
    std::memcpy(store.table.raw(), bits, sizeof(Bits));
    return store;
  });
}

template <class T>
std::optional<DType> narrow_type(const T* values, std::uint64_t count, int threads) {
  constexpr std::uint64_t block = 256;
  std::atomic<unsigned> holding = all_narrow_types;
  parallel_all_of(count, threads, [&](std::uint64_t first, std::uint64_t last) {
    unsigned mine = holding.load(std::memory_order_relaxed);
    for (std::uint64_t i = first; i < last && mine != 0; i += block)
      mine = narrow_types_holding(values + i, std::min(block, last - i), mine);
    holding.fetch_and(mine, std::memory_order_relaxed);
    return mine != 0;
  });
  return narrowest(holding);
}

/// Makes the codes of a store: the values cast to Small.
template <class Small, class T>
void cast_into(ValueStore<Owned>& store, const T* values) {
  store.codes = AnyArray<Owned>(dtype_of<Small>(), store.count);
  parallel_for(store.count, threads_worth(0, store.count),
               [&, codes = store.codes.as<Small>()](std::uint64_t i) { codes[i] = static_cast<Small>(values[i]); });
}

template <class T>
Result<ValueStore<Owned>> narrow_store(const ValueStore<Viewed>& raw, const T* values) {
  const auto type = narrow_type(values, raw.count, 0);
  if (!type) return not_applicable("no narrower type holds every value exactly");
  ValueStore<Owned> store;
  store.type = raw.type;
  store.kind = StoreKind::narrow;
  store.count = raw.count;
  switch (*type) {
    case DType::i8: cast_into<std::int8_t>(store, values); break;
    case DType::i16: cast_into<std::int16_t>(store, values); break;
    case DType::i32: cast_into<std::int32_t>(store, values); break;
    default: cast_into<float>(store, values); break;
  }
  return store;
}

Result<ValueStore<Owned>> make_narrow(const ValueStore<Viewed>& raw) {
  if (raw.count == 0) return not_applicable("no values to narrow");
  if (raw.type == ValueType::f32) return narrow_store(raw, raw.codes.as<float>());
  if (raw.type == ValueType::f64) return narrow_store(raw, raw.codes.as<double>());
  return not_applicable("no narrower type holds complex values");
}

ValueStore<Owned> copy_of(const ValueStore<Viewed>& source) {
  ValueStore<Owned> copy;
  copy.type = source.type;
  copy.kind = source.kind;
  copy.count = source.count;
  copy.codes = AnyArray<Owned>(source.codes.dtype(), source.codes.size());
  copy.table = AnyArray<Owned>(source.table.dtype(), source.table.size());
  parallel_copy(copy.codes.raw(), source.codes.raw(), source.codes.bytes());
  parallel_copy(copy.table.raw(), source.table.raw(), source.table.bytes());
  return copy;
}

/// A raw store with the numbers of any store.
ValueStore<Owned> expand(const ValueStore<Viewed>& source) {
  if (source.type == ValueType::none || source.kind == StoreKind::raw) return copy_of(source);
  auto raw = uninitialised_raw_store(source.type, source.count);
  if (source.type == ValueType::c128) {
    auto* out = reinterpret_cast<Bytes16*>(raw.codes.memory.data());
    const auto* table = static_cast<const Bytes16*>(source.table.raw());
    parallel_for(source.count, threads_worth(0, source.count), [&](std::uint64_t i) {
      out[i] = table[source.kind == StoreKind::iso    ? 0
                     : source.kind == StoreKind::lut8 ? source.codes.as<std::uint8_t>()[i]
                                                      : source.codes.as<std::uint16_t>()[i]];
    });
    return raw;
  }
  const auto fill = [&]<class T>(T* out) {
    with_accessor<T>(source, [&](auto values) {
      parallel_for(source.count, threads_worth(0, source.count), [&](std::uint64_t i) { out[i] = values[i]; });
    });
  };
  if (source.type == ValueType::f32)
    fill(raw.codes.as<float>());
  else
    fill(raw.codes.as<double>());
  return raw;
}

template <class Code>
Status codes_inside(const Code* codes, std::uint64_t count, std::uint64_t table_size) {
  const bool inside = parallel_all_of(count, 0, [&](std::uint64_t first, std::uint64_t last) {
    return *std::max_element(codes + first, codes + last) < table_size;
  });
  if (!inside) return damaged("a code of the values points outside value_table");
  return Ok{};
}

}  // namespace

std::optional<DType> narrow_type(const ValueStore<Viewed>& raw, int threads) {
  if (raw.count == 0) return std::nullopt;
  if (raw.type == ValueType::f32) return narrow_type(raw.codes.as<float>(), raw.count, threads);
  if (raw.type == ValueType::f64) return narrow_type(raw.codes.as<double>(), raw.count, threads);
  return std::nullopt;
}

std::optional<DType> narrowest(unsigned mask) {
  for (std::size_t k = 0; k < narrow_types.size(); ++k)
    if ((mask & 1u << k) != 0) return narrow_types[k];
  return std::nullopt;
}

std::size_t size_of(ValueType type) { return type == ValueType::none ? 0 : size_of(dtype_of_values(type)); }

DType dtype_of_values(ValueType type) {
  return type == ValueType::f32 ? DType::f32 : type == ValueType::c128 ? DType::c128 : DType::f64;
}

Status validate(const ValueStore<Viewed>& s) {
  const auto expect = [&](bool good, std::string_view what) -> Status {
    if (good) return Ok{};
    return damaged(std::string(what) + " does not fit a store of kind " + std::string(enum_name(s.kind)));
  };
  if (s.type == ValueType::none)
    return expect(s.kind == StoreKind::raw && s.codes.empty() && s.table.empty(), "the array of a pattern's values");
  const DType own = dtype_of_values(s.type);
  if (s.kind == StoreKind::iso)
    return expect(s.codes.empty() && s.table.dtype() == own && s.table.size() == 1, "value_table");
  SPRESS_CHECK(expect(s.codes.size() == s.count, "the number of values"));
  const DType held = s.codes.dtype();
  switch (s.kind) {
    case StoreKind::raw: return expect(held == own && s.table.empty(), "the type of values");
    case StoreKind::narrow: {
      const bool small = held == DType::i8 || held == DType::i16;
      const bool wide = s.type == ValueType::f64 && (held == DType::i32 || held == DType::f32);
      return expect(s.type != ValueType::c128 && (small || wide) && s.table.empty(), "the type of values");
    }
    case StoreKind::lut8:
      SPRESS_CHECK(expect(held == DType::u8 && s.table.dtype() == own && s.table.size() <= 256, "the table"));
      return codes_inside(s.codes.as<std::uint8_t>(), s.count, s.table.size());
    default:
      SPRESS_CHECK(expect(held == DType::u16 && s.table.dtype() == own && s.table.size() <= 65536, "the table"));
      return codes_inside(s.codes.as<std::uint16_t>(), s.count, s.table.size());
  }
}

ValueStore<Owned> pattern_store(std::uint64_t count) {
  ValueStore<Owned> store;
  store.count = count;
  return store;
}

ValueStore<Owned> uninitialised_raw_store(ValueType type, std::uint64_t count) {
  ValueStore<Owned> store;
  store.type = type;
  store.count = count;
  if (type != ValueType::none) store.codes = AnyArray<Owned>(dtype_of_values(type), count);
  return store;
}

ValueStore<Owned> empty_like(const ValueStore<Viewed>& source, std::uint64_t count) {
  ValueStore<Owned> store;
  store.type = source.type;
  store.kind = source.kind;
  store.count = count;
  store.codes = AnyArray<Owned>(source.codes.dtype(), code_width(source) == 0 ? 0 : count);
  store.table = AnyArray<Owned>(source.table.dtype(), source.table.size());
  if (source.table.bytes() != 0) std::memcpy(store.table.raw(), source.table.raw(), source.table.bytes());
  return store;
}

ValueStore<Viewed> slice_of(const ValueStore<Viewed>& store, std::uint64_t first, std::uint64_t count) {
  ValueStore<Viewed> slice = store;
  slice.count = count;
  if (const std::size_t width = code_width(store); width != 0)
    slice.codes.bind(store.codes.dtype(), store.codes.memory.data() + first * width, count);
  return slice;
}

Result<ValueStore<Owned>> with_store(const ValueStore<Viewed>& source, StoreKind kind) {
  if (source.kind == kind) return copy_of(source);
  if (source.type == ValueType::none) return not_applicable("a pattern matrix has no values to store");
  if (source.kind != StoreKind::raw) {
    ValueStore<Owned> raw = expand(source);
    if (kind == StoreKind::raw) return raw;
    return with_store(view_of(raw), kind);
  }
  switch (kind) {
    case StoreKind::narrow: return make_narrow(source);
    case StoreKind::iso: return make_iso(source);
    case StoreKind::lut8:
    case StoreKind::lut16:
      if (source.count == 0) return not_applicable("no values for a table");
      return with_bits(source, [&](const auto* bits) {
        return kind == StoreKind::lut8 ? make_table<std::uint8_t>(source, kind, bits)
                                       : make_table<std::uint16_t>(source, kind, bits);
      });
    case StoreKind::raw: break;
  }
  return copy_of(source);
}

Result<ValueStore<Owned>> with_type(const ValueStore<Viewed>& source, ValueType type) {
  if (source.type == ValueType::none) return copy_of(source);
  if (source.type == ValueType::c128 || type == ValueType::c128 || type == ValueType::none)
    return not_applicable("only real values convert between float and double");
  ValueStore<Owned> raw = expand(source);
  if (raw.type == type) return raw;
  auto out = uninitialised_raw_store(type, raw.count);
  const auto convert = [&]<class To, class From>(To* to, const From* from) {
    parallel_for(raw.count, threads_worth(0, raw.count), [&](std::uint64_t i) { to[i] = static_cast<To>(from[i]); });
  };
  if (type == ValueType::f32)
    convert(out.codes.as<float>(), std::as_const(raw).codes.as<double>());
  else
    convert(out.codes.as<double>(), std::as_const(raw).codes.as<float>());
  return out;
}

}  // namespace spress
