#include "formats/io/container/transforms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace spress {
namespace {

static_assert(std::endian::native == std::endian::little, "transforms are defined on little-endian elements");

using Named = std::pair<std::string_view, Transform>;
constexpr std::array<Named, 6> names = {{{"none", {false, Layout::plain}},
                                         {"delta", {true, Layout::plain}},
                                         {"planes", {false, Layout::planes}},
                                         {"delta+planes", {true, Layout::planes}},
                                         {"bits", {false, Layout::bits}},
                                         {"delta+bits", {true, Layout::bits}}}};

/// Calls use with the width as a constant, so that loops over the bytes of an element unroll.
template <class Use>
void with_width(std::size_t width, Use&& use) {
  switch (width) {
    case 2: return use(std::integral_constant<std::size_t, 2>{});
    case 4: return use(std::integral_constant<std::size_t, 4>{});
    case 8: return use(std::integral_constant<std::size_t, 8>{});
    default: return use(std::integral_constant<std::size_t, 16>{});
  }
}

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
T difference(T a, T b) {
  return static_cast<T>(a - b);
}

// --- Differences ---------------------------------------------------------------------------------------------------

template <class T>
void take_differences(const T* in, std::size_t count, T* out) {
  out[0] = in[0];
  for (std::size_t i = 1; i < count; ++i) out[i] = difference(in[i], in[i - 1]);
}

template <class T>
void sum_up(T* elements, std::size_t count) {
  T sum = 0;
  for (std::size_t i = 0; i < count; ++i) elements[i] = sum = static_cast<T>(sum + elements[i]);
}

// --- Byte planes ---------------------------------------------------------------------------------------------------

void split_planes(const std::uint8_t* in, std::size_t count, std::size_t width, std::uint8_t* out) {
  with_width(width, [&](auto w) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t p = 0; p < w; ++p) out[p * count + i] = in[i * w + p];
  });
}

void join_planes(const std::uint8_t* in, std::size_t count, std::size_t width, std::uint8_t* out) {
  with_width(width, [&](auto w) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t p = 0; p < w; ++p) out[i * w + p] = in[p * count + i];
  });
}

// --- Bit packing ---------------------------------------------------------------------------------------------------

template <class T>
struct Packing {
  unsigned bits = 1;
  T base = 0;
};

/// Smallest and largest element but the first, compared as T.
template <class T, class At>
std::pair<T, T> range_of(std::size_t count, At at) {
  T smallest = std::numeric_limits<T>::max(), largest = std::numeric_limits<T>::min();
  for (std::size_t i = 1; i < count; ++i) {
    const T value = static_cast<T>(at(i));
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  return {smallest, largest};
}

/// The base that needs the fewest bits: the smallest element, read as unsigned or as two's complement.
template <class T, class At>
Packing<T> plan_packing(std::size_t count, At at) {
  if (count < 2) return {};
  const auto [u_min, u_max] = range_of<T>(count, at);
  const auto [s_min, s_max] = range_of<std::make_signed_t<T>>(count, at);
  const T u_span = difference(u_max, u_min);
  const T s_span = difference(static_cast<T>(s_max), static_cast<T>(s_min));
  const bool as_signed = s_span < u_span;
  const unsigned bits = static_cast<unsigned>(std::bit_width(as_signed ? s_span : u_span));
  return {std::max(bits, 1u), as_signed ? static_cast<T>(s_min) : u_min};
}

/// Calls use(at), at(i) being element i of the array or, for delta, of its differences.
template <class T, class Use>
decltype(auto) with_elements(bool delta, const T* in, Use&& use) {
  if (delta) return use([in](std::size_t i) { return difference(in[i], in[i - 1]); });
  return use([in](std::size_t i) { return in[i]; });
}

/// Writes 8 bytes at a time, so up to 7 more than the packed bits take.
template <class T, class At>
void pack(std::size_t count, Packing<T> packing, At at, std::uint8_t* out) {
  std::uint64_t waiting = 0;
  unsigned filled = 0;
  for (std::size_t i = 1; i < count; ++i) {
    waiting |= std::uint64_t{difference(at(i), packing.base)} << filled;
    filled += packing.bits;
    std::memcpy(out, &waiting, sizeof waiting);
    out += filled / 8;
    waiting >>= filled / 8 * 8;
    filled %= 8;
  }
  std::memcpy(out, &waiting, sizeof waiting);
}

template <class T>
void unpack(std::span<const std::uint8_t> packed, std::size_t count, Packing<T> packing, T* out) {
  const std::uint64_t mask = (std::uint64_t{1} << packing.bits) - 1;
  const auto element = [&](const std::uint8_t* from, std::size_t bit) {
    return static_cast<T>(packing.base + ((load<std::uint64_t>(from + bit / 8) >> (bit % 8)) & mask));
  };
  std::size_t i = 1, bit = 0;
  for (; i < count && bit / 8 + 8 <= packed.size(); ++i, bit += packing.bits) out[i] = element(packed.data(), bit);
  std::array<std::uint8_t, 24> tail = {};  // the last bytes with zeros after them, so that a whole word can be read
  const std::size_t tail_begin = packed.size() - std::min<std::size_t>(packed.size(), 8);
  std::copy(packed.begin() + static_cast<std::ptrdiff_t>(tail_begin), packed.end(), tail.begin());
  for (; i < count; ++i, bit += packing.bits) out[i] = element(tail.data(), bit - tail_begin * 8);
}

template <class T>
std::size_t pack_block(bool delta, const T* in, std::size_t count, std::uint8_t* out) {
  return with_elements(delta, in, [&](auto at) {
    const auto packing = plan_packing<T>(count, at);
    out[0] = static_cast<std::uint8_t>(packing.bits);
    std::memcpy(out + 1, in, sizeof(T));
    std::memcpy(out + 1 + sizeof(T), &packing.base, sizeof(T));
    pack(count, packing, at, out + packed_head_bytes(sizeof(T)));
    return packed_bytes(count, sizeof(T), packing.bits);
  });
}

template <class T>
bool unpack_block(std::span<const std::uint8_t> in, std::size_t count, T* out) {
  const std::size_t head = packed_head_bytes(sizeof(T));
  if (in.size() < head) return false;
  const unsigned bits = in[0];
  if (bits < 1 || bits > std::min<unsigned>(largest_packed_bits, 8 * sizeof(T))) return false;
  if (in.size() != packed_bytes(count, sizeof(T), bits)) return false;
  out[0] = load<T>(in.data() + 1);
  unpack(in.subspan(head), count, Packing<T>{bits, load<T>(in.data() + 1 + sizeof(T))}, out);
  return true;
}

}  // namespace

std::string_view to_string(Transform transform) {
  return std::find_if(names.begin(), names.end(), [&](const Named& n) { return n.second == transform; })->first;
}

std::optional<Transform> transform_named(std::string_view name) {
  const auto* found = std::find_if(names.begin(), names.end(), [&](const Named& n) { return n.first == name; });
  if (found == names.end()) return std::nullopt;
  return found->second;
}

bool transform_applies(Transform transform, std::size_t width) {
  const bool is_integer = width == 1 || width == 2 || width == 4 || width == 8;
  const bool splits = width == 2 || width == 4 || width == 8 || width == 16;
  return (!transform.delta || is_integer) && (transform.layout != Layout::bits || is_integer) &&
         (transform.layout != Layout::planes || splits);
}

std::optional<std::size_t> transformed_bytes(Transform transform, const void* elements, std::size_t count,
                                             std::size_t width) {
  if (transform.layout != Layout::bits) return count * width;
  return with_unsigned(width, [&]<class T>(T) -> std::optional<std::size_t> {
    const auto* in = static_cast<const T*>(elements);
    const unsigned bits = with_elements(transform.delta, in, [&](auto at) { return plan_packing<T>(count, at).bits; });
    if (bits > largest_packed_bits) return std::nullopt;
    return packed_bytes(count, width, bits);
  });
}

std::size_t apply_transform(Transform transform, const void* elements, std::size_t count, std::size_t width,
                            std::uint8_t* out, std::uint8_t* scratch) {
  const std::size_t bytes = count * width;
  if (transform.layout == Layout::bits)
    return with_unsigned(
        width, [&]<class T>(T) { return pack_block(transform.delta, static_cast<const T*>(elements), count, out); });
  const bool splits = transform.layout == Layout::planes;
  const auto* in = static_cast<const std::uint8_t*>(elements);
  if (transform.delta) {
    std::uint8_t* to = splits ? scratch : out;
    with_unsigned(
        width, [&]<class T>(T) { take_differences(static_cast<const T*>(elements), count, reinterpret_cast<T*>(to)); });
    in = to;
  }
  if (splits)
    split_planes(in, count, width, out);
  else if (!transform.delta)
    std::memcpy(out, in, bytes);
  return bytes;
}

bool undo_transform(Transform transform, std::span<const std::uint8_t> transformed, std::size_t count,
                    std::size_t width, void* elements) {
  if (transform.layout == Layout::bits) {
    const bool fits =
        with_unsigned(width, [&]<class T>(T) { return unpack_block(transformed, count, static_cast<T*>(elements)); });
    if (!fits) return false;
  } else if (transformed.size() != count * width) {
    return false;
  } else if (transform.layout == Layout::planes) {
    join_planes(transformed.data(), count, width, static_cast<std::uint8_t*>(elements));
  } else if (transformed.data() != elements) {
    std::memcpy(elements, transformed.data(), transformed.size());
  }
  if (transform.delta) with_unsigned(width, [&]<class T>(T) { sum_up(static_cast<T*>(elements), count); });
  return true;
}

}  // namespace spress
