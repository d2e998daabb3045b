// The objects behind the handles of the C interface, and the errors of its functions.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/list.hpp"
#include "pipeline/interface/include/spress/spress.h"

/// The arrays that `view` shows are those of the caller, or in part `owned` and `row_ptr`.
struct spress_csr {
  spress::MatrixInfo info;
  spress::Csr<spress::Viewed> view;
  spress::Csr<spress::Owned> owned = {};
  spress::Positions<spress::Owned> row_ptr = {};      ///< of a matrix whose other arrays are the caller's
  std::string field = {}, symmetry = {};              ///< with an end, as C wants its text
  spress_arrays shown = {};                           ///< what spress_csr_arrays gives
  spress::HostArray<std::int64_t> wide_row_ptr = {};  ///< for `shown`, where 32 bits with a sign do not hold them
};

namespace spress::interface {

/// y = alpha A x + beta y in the memory of a device, in the order of a stream.
template <class T>
using DeviceMultiply = std::function<Status(T alpha, const T* x, T beta, T* y, void* stream)>;

}  // namespace spress::interface

struct spress_matrix {
  spress::MatrixInfo info;
  spress::AnyFormat format;
  std::string spec;  ///< its name and parameters
  spress::interface::DeviceMultiply<double> on_device = {};
  spress::interface::DeviceMultiply<float> on_device_float = {};
  int device = 0;  ///< on which both are
};

namespace spress::interface {

/// Keeps the error's text for spress_last_error, and returns its status.
spress_result keep_error(const Error& error) noexcept;
/// Keeps the error that is being caught. Requires: called from a handler.
spress_result keep_caught() noexcept;

/// Calls work, which returns a Status. Nothing is thrown out of here.
template <class Work>
spress_result guarded(Work&& work) noexcept {
  try {
    const Status status = work();
    return status.ok() ? SPRESS_OK : keep_error(status.error());
  } catch (...) {
    return keep_caught();
  }
}

/// Errors: usage, where an argument that has to point somewhere does not.
[[nodiscard]] Status given(const void* argument, std::string_view name);

/// The text, or `fallback` where there is none.
[[nodiscard]] inline std::string text_or(const char* text, std::string_view fallback) {
  return std::string(text == nullptr ? fallback : std::string_view(text));
}

/// A copy that spress_free_text frees. Throws std::bad_alloc.
[[nodiscard]] char* handed_out(std::string_view text);

[[nodiscard]] spress_type type_of(ValueType type);

/// Fills in what the handle shows of its view. Throws std::bad_alloc.
void fill_shown(spress_csr& csr);

/// A handle of a matrix that owns its arrays.
[[nodiscard]] spress_csr* handed_out(Matrix matrix);

/// The matrix with double values instead of float ones; `held` keeps them. Errors: too_large.
[[nodiscard]] Result<Csr<Viewed>> as_double(const Csr<Viewed>& a, ValueStore<Owned>& held);

/// What the numbers of a format are, and how they are held. Formats that code values in their own layout have them raw.
struct ValuesHeld {
  ValueType type;
  StoreKind store;
};
template <class F>
[[nodiscard]] ValuesHeld values_held(const F& f) {
  if constexpr (requires { f.values; })
    return {f.values.type, f.values.kind};
  else
    return {f.value_type, StoreKind::raw};
}
/// Whether products with vectors of type T read them.
template <class T, class F>
[[nodiscard]] bool multiplies(const F& f) {
  const ValueType type = values_held(f).type;
  return type == ValueType::none || type == value_type_of<T>;
}

/// Copies the matrix to a device, by default the current one, and makes its products ready there; from another device
/// it is taken away. Errors: unsupported, too_large.
[[nodiscard]] Status send_to_device(spress_matrix& matrix, std::optional<int> device = {});

}  // namespace spress::interface
