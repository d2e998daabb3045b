#include "formats/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace spress {
namespace {

Error not_applicable(std::string message) { return {ErrorCode::not_applicable, std::move(message), {}, 0}; }
Error damaged(std::string message) { return {ErrorCode::damaged, std::move(message), {}, 0}; }

/// Values as bit patterns of their own width.
struct Hash16 {
  std::size_t operator()(const Bytes16& b) const { return b.low * 0x9E3779B97F4A7C15u ^ std::rotl(b.high, 23); }
};

template <class Bits>
struct BitHash {
  std::size_t operator()(Bits b) const {
    const std::uint64_t mixed = std::uint64_t{b} * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32));
  }
};
template <>
struct BitHash<Bytes16> : Hash16 {};

/// Calls use with a typed pointer to the bit patterns of a raw store.
template <class Use>
decltype(auto) with_bits(const ValueStore<Viewed>& raw, Use&& use) {
  const void* at = raw.codes.raw();
  switch (raw.type) {
    case ValueType::f32: return use(static_cast<const std::uint32_t*>(at));
    case ValueType::c128: return use(static_cast<const Bytes16*>(at));
    default: return use(static_cast<const std::uint64_t*>(at));
  }
}

template <class Code, class Bits>
Result<ValueStore<Owned>> make_table(const ValueStore<Viewed>& raw, StoreKind kind, const Bits* bits) {
  constexpr std::size_t limit = std::size_t{1} << (8 * sizeof(Code));
  std::unordered_map<Bits, std::uint64_t, BitHash<Bits>> counts;
  for (std::uint64_t i = 0; i < raw.count; ++i) {
    ++counts[bits[i]];
    if (counts.size() > limit)
      return not_applicable("more than " + std::to_string(limit) + " distinct values do not fit " +
                            std::string(enum_name(kind)));
  }
  std::vector<std::pair<Bits, std::uint64_t>> order(counts.begin(), counts.end());
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
    counts[order[i].first] = i;
  }
  store.codes = AnyArray<Owned>(dtype_of<Code>(), raw.count);
  auto* codes = store.codes.as<Code>();
  for (std::uint64_t i = 0; i < raw.count; ++i) codes[i] = static_cast<Code>(counts.find(bits[i])->second);
  return store;
}

Result<ValueStore<Owned>> make_iso(const ValueStore<Viewed>& raw) {
  return with_bits(raw, [&]<class Bits>(const Bits* bits) -> Result<ValueStore<Owned>> {
    if (raw.count == 0) return not_applicable("no values: nothing to be equal");
    for (std::uint64_t i = 1; i < raw.count; ++i)
      if (!(bits[i] == bits[0])) return not_applicable("the values are not all equal");
    ValueStore<Owned> store;
    store.type = raw.type;
    store.kind = StoreKind::iso;
    store.count = raw.count;
    store.table = AnyArray<Owned>(dtype_of_values(raw.type), 1);
    std::memcpy(store.table.raw(), bits, sizeof(Bits));
    return store;
  });
}

/// Fills codes with the values cast to Small; false as soon as one does not come back bit for bit.
template <class Small, class T>
bool narrow_into(ValueStore<Owned>& store, const T* values, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i)
    if (!fits_exactly<Small>(values[i])) return false;
  store.codes = AnyArray<Owned>(dtype_of<Small>(), count);
  auto* codes = store.codes.as<Small>();
  for (std::uint64_t i = 0; i < count; ++i) codes[i] = static_cast<Small>(values[i]);
  return true;
}

Result<ValueStore<Owned>> make_narrow(const ValueStore<Viewed>& raw) {
  if (raw.count == 0) return not_applicable("no values to narrow");
  ValueStore<Owned> store;
  store.type = raw.type;
  store.kind = StoreKind::narrow;
  store.count = raw.count;
  bool fits = false;
  if (raw.type == ValueType::f32) {
    const auto* v = raw.codes.as<float>();
    fits = narrow_into<std::int8_t>(store, v, raw.count) || narrow_into<std::int16_t>(store, v, raw.count);
  } else if (raw.type == ValueType::f64) {
    const auto* v = raw.codes.as<double>();
    fits = narrow_into<std::int8_t>(store, v, raw.count) || narrow_into<std::int16_t>(store, v, raw.count) ||
           narrow_into<float>(store, v, raw.count) || narrow_into<std::int32_t>(store, v, raw.count);
  }
  if (!fits) return not_applicable("no narrower type holds every value exactly");
  return store;
}

ValueStore<Owned> copy_of(const ValueStore<Viewed>& source) {
  ValueStore<Owned> copy;
  copy.type = source.type;
  copy.kind = source.kind;
  copy.count = source.count;
  copy.codes = AnyArray<Owned>(source.codes.dtype(), source.codes.size());
  copy.table = AnyArray<Owned>(source.table.dtype(), source.table.size());
  if (source.codes.bytes() != 0) std::memcpy(copy.codes.raw(), source.codes.raw(), source.codes.bytes());
  if (source.table.bytes() != 0) std::memcpy(copy.table.raw(), source.table.raw(), source.table.bytes());
  return copy;
}

/// A raw store with the numbers of any store.
ValueStore<Owned> expand(const ValueStore<Viewed>& source) {
  if (source.type == ValueType::none || source.kind == StoreKind::raw) return copy_of(source);
  auto raw = uninitialised_raw_store(source.type, source.count);
  if (source.type == ValueType::c128) {
    auto* out = reinterpret_cast<Bytes16*>(raw.codes.memory.data());
    const auto* table = static_cast<const Bytes16*>(source.table.raw());
    for (std::uint64_t i = 0; i < source.count; ++i)
      out[i] = table[source.kind == StoreKind::iso    ? 0
                     : source.kind == StoreKind::lut8 ? source.codes.as<std::uint8_t>()[i]
                                                      : source.codes.as<std::uint16_t>()[i]];
    return raw;
  }
  const auto fill = [&]<class T>(T* out) {
    with_accessor<T>(source, [&](auto values) {
      for (std::uint64_t i = 0; i < source.count; ++i) out[i] = values[i];
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
  Code largest = 0;
  for (std::uint64_t i = 0; i < count; ++i) largest = std::max(largest, codes[i]);
  if (count != 0 && largest >= table_size) return damaged("a code of the values points outside value_table");
  return Ok{};
}

}  // namespace

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
    ValueStore<Viewed> view;
    view.type = raw.type;
    view.count = raw.count;
    view.codes.bind(raw.codes.dtype(), raw.codes.raw(), raw.codes.size());
    return with_store(view, kind);
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
  if (type == ValueType::f32)
    std::transform(raw.codes.as<double>(), raw.codes.as<double>() + raw.count, out.codes.as<float>(),
                   [](double v) { return static_cast<float>(v); });
  else
    std::transform(raw.codes.as<float>(), raw.codes.as<float>() + raw.count, out.codes.as<double>(),
                   [](float v) { return static_cast<double>(v); });
  return out;
}

}  // namespace spress
