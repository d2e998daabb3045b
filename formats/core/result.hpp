// Errors of the library as values: the library never prints, exits or aborts on input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace spress {

/// What went wrong, as a stable word for programs. The names (see `to_string`) are part of the interface.
enum class ErrorCode {
  usage,              ///< a parameter, option or name that does not exist or does not fit
  not_found,          ///< no such file
  unreadable,         ///< exists, but cannot be read (permission, a directory, an I/O error)
  unwritable,         ///< cannot be written (permission, full disk)
  syntax,             ///< text that does not follow its format
  out_of_range,       ///< an index, offset or size outside its bounds
  truncated,          ///< ends too early
  damaged,            ///< a checksum or an invariant does not hold
  not_representable,  ///< a number that the value type cannot hold exactly
  not_applicable,     ///< correct, but this operation has no meaning for it
  unsupported,        ///< correct, but not handled by this build or version
  too_large,          ///< exceeds ids of 32 bits or the given memory
};

/// The stable word of a code: "usage", "not_found", ...
[[nodiscard]] std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::usage;
  std::string message;     ///< what is wrong and what would be right, one sentence, no trailing newline
  std::string file = {};   ///< the input concerned, or empty
  std::uint64_t line = 0;  ///< 1-based line in `file`, or 0 where lines have no meaning

  /// "file:line: message", leaving out the parts that are unknown.
  [[nodiscard]] std::string text() const;
};

/// The error of work that ran out of memory: too_large.
[[nodiscard]] Error out_of_memory();

/// The value of a computation, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Requires: ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Requires: !ok().
  [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }
  Error& error() & { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

struct Ok {};
using Status = Result<Ok>;

}  // namespace spress

#define SPRESS_CONCAT_(a, b) a##b
#define SPRESS_CONCAT(a, b) SPRESS_CONCAT_(a, b)

/// SPRESS_TRY(auto x, f()): declares x with the value of f(), or returns f's error from the enclosing function.
#define SPRESS_TRY(lhs, expression) SPRESS_TRY_(SPRESS_CONCAT(spress_try_, __LINE__), lhs, expression)
#define SPRESS_TRY_(name, lhs, expression)        \
  auto name = (expression);                       \
  if (!name.ok()) return std::move(name).error(); \
  lhs = std::move(name).value()

/// SPRESS_CHECK(f()): returns f's error from the enclosing function, if there is one.
#define SPRESS_CHECK(expression)                                      \
  do {                                                                \
    auto spress_status = (expression);                                \
    if (!spress_status.ok()) return std::move(spress_status).error(); \
  } while (false)
