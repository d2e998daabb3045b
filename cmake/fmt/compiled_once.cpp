// The functions of fmt that its headers declare, compiled once; all of them weak, so that a program with another copy
// of fmt links, too. SpressFmt.cmake says why.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace fmt {
namespace {

// Inline functions are compiled where something refers to them.
[[gnu::used]] std::string (*const kept_vformat)(string_view, format_args) = vformat;
[[gnu::used]] void (*const kept_vprint)(string_view, format_args) = vprint;
[[gnu::used]] void (*const kept_vprint_to_file)(std::FILE*, string_view, format_args) = vprint;
[[gnu::used]] const auto kept_assert_fail = &detail::assert_fail;
[[gnu::used]] const auto kept_throw_format_error = &detail::throw_format_error;
[[gnu::used]] bool (*const kept_is_printable)(std::uint32_t) = detail::is_printable;
}  // namespace
}  // namespace fmt

template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
template auto fmt::detail::dragonbox::to_decimal<float>(float) noexcept -> decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal<double>(double) noexcept -> decimal_fp<double>;
