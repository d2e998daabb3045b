// Transforms of arrays: differences, byte planes and bit packing. They change how elements are laid out, not what they
// are, so that a general compressor finds what repeats. All arithmetic is modulo 2^(8*width), little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spress {

/// How the elements of an array lie in memory.
enum class Layout : std::uint8_t {
  plain,   ///< one after another
  planes,  ///< the first bytes of all elements, then the second bytes, ...
  bits,    ///< the first element, then all others minus a base, in as many bits each as the largest needs
};

/// `delta` first replaces each element but the first by its difference to the one before.
struct Transform {
  bool delta = false;
  Layout layout = Layout::plain;
  friend bool operator==(const Transform&, const Transform&) = default;
};

/// "none", "delta", "planes", "delta+planes", "bits" or "delta+bits".
[[nodiscard]] std::string_view to_string(Transform transform);
[[nodiscard]] std::optional<Transform> transform_named(std::string_view name);

/// Calls use(T{}) with the unsigned type of that width (8 bytes for any other width).
template <class Use>
decltype(auto) with_unsigned(std::size_t width, Use&& use) {
  switch (width) {
    case 1: return use(std::uint8_t{});
    case 2: return use(std::uint16_t{});
    case 4: return use(std::uint32_t{});
    default: return use(std::uint64_t{});
  }
}

/// True if the transform exists for elements of `width` bytes: delta and bits for 1, 2, 4 and 8, planes for 2, 4, 8 and
/// 16, none for any.
[[nodiscard]] bool transform_applies(Transform transform, std::size_t width);

/// The number of bits that `bits` takes for each element but the first is from 1 to this.
inline constexpr unsigned largest_packed_bits = 56;

/// Bytes in front of the packed bits: their number for one element (1 byte), the first element, the base.
[[nodiscard]] constexpr std::size_t packed_head_bytes(std::size_t width) { return 1 + 2 * width; }

/// Bytes of `count` elements packed in `bits` bits.
[[nodiscard]] constexpr std::size_t packed_bytes(std::size_t count, std::size_t width, unsigned bits) {
  return packed_head_bytes(width) + (count == 0 ? 0 : ((count - 1) * bits + 7) / 8);
}

/// Exact bytes of the elements once transformed; nothing where `bits` would need more than largest_packed_bits.
/// Requires: count > 0, transform_applies. Cost: one pass for `bits`, else none.
[[nodiscard]] std::optional<std::size_t> transformed_bytes(Transform transform, const void* elements, std::size_t count,
                                                           std::size_t width);

/// What apply_transform may touch of `out` and `scratch`.
[[nodiscard]] constexpr std::size_t transform_room(std::size_t count, std::size_t width) {
  return count * width + packed_head_bytes(width) + 8;
}

/// Transforms `count` elements into `out`; returns the bytes they take. `scratch` is only used on the way.
/// Requires: transformed_bytes has a value; out and scratch: transform_room bytes each.
std::size_t apply_transform(Transform transform, const void* elements, std::size_t count, std::size_t width,
                            std::uint8_t* out, std::uint8_t* scratch);

/// The elements back from their transformed bytes, which may be wrong in every way: false if they do not fit.
/// Requires: count > 0, transform_applies; elements: count * width bytes, apart from `transformed` or, where the layout
/// is plain, the same place.
[[nodiscard]] bool undo_transform(Transform transform, std::span<const std::uint8_t> transformed, std::size_t count,
                                  std::size_t width, void* elements);

}  // namespace spress
