// Checks that the validators of all formats share. Each names the array and the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/values/values.hpp"

namespace spress::checks {

[[nodiscard]] inline Error damaged(std::string message) { return {ErrorCode::damaged, std::move(message)}; }

/// Ids are 32-bit and signed in many peers: no side may exceed this.
inline constexpr std::uint64_t largest_side = 0x7FFFFFFF;

/// rows and cols fit ids. Errors: too_large.
[[nodiscard]] Status sides(std::uint64_t rows, std::uint64_t cols);

/// rows and cols fit ids, and the value store holds `slots` values.
[[nodiscard]] Status shape(std::uint64_t rows, std::uint64_t cols, const ValueStore<Viewed>& values,
                           std::uint64_t slots);

/// A value slot without an entry holds code 0 where that is a number, which products may take for one.
[[nodiscard]] bool holds_nothing(const ValueStore<Viewed>& values, std::uint64_t slot);

/// An array has `expected` elements.
[[nodiscard]] Status length(std::string_view array, std::uint64_t actual, std::uint64_t expected);

/// `expected` positions from 0 to `last`, never falling, of the type that `last` calls for.
[[nodiscard]] Status monotone(std::string_view array, const Positions<Viewed>& positions, std::uint64_t expected,
                              std::uint64_t last);

/// `perm` is empty, or a permutation of 0..n-1.
[[nodiscard]] Status permutation(std::string_view array, const View<std::uint32_t>& perm, std::uint64_t n);

}  // namespace spress::checks
