#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "encode/shared/any.hpp"
#include "pipeline/interface/handles.hpp"
#include "pipeline/listing.hpp"
#include "pipeline/version.hpp"

namespace spress::interface {
namespace {

thread_local std::string last_error;
thread_local bool error_untold = false;  ///< there was no memory for the text of the last error

constexpr int status_of(ErrorCode code) { return 1 + static_cast<int>(code); }
static_assert(status_of(ErrorCode::usage) == SPRESS_USAGE && status_of(ErrorCode::syntax) == SPRESS_SYNTAX &&
              status_of(ErrorCode::damaged) == SPRESS_DAMAGED && status_of(ErrorCode::too_large) == SPRESS_TOO_LARGE);

// OpenMP's threads do not survive a fork, and a child that waits for them waits forever. So they end before it, and the
// next parallel region starts new ones, in the parent and in the child.
[[maybe_unused]] const int registered =
    ::pthread_atfork([] { static_cast<void>(omp_pause_resource_all(omp_pause_soft)); }, nullptr, nullptr);

}  // namespace

spress_result keep_error(const Error& error) noexcept {
  try {
    last_error = error.text();
    error_untold = false;
  } catch (...) {
    error_untold = true;
  }
  return static_cast<spress_result>(status_of(error.code));
}

spress_result keep_caught() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return keep_error(out_of_memory());
    } catch (const std::exception& error) {
      return keep_error({ErrorCode::unsupported, error.what()});
    }
  } catch (...) {  // there was no memory for the error itself
    error_untold = true;
    return SPRESS_TOO_LARGE;
  }
}

Status given(const void* argument, std::string_view name) {
  if (argument != nullptr) return Ok{};
  return Error{ErrorCode::usage, fmt::format("{} is a null pointer", name)};
}

char* handed_out(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace spress::interface

using namespace spress;

const char* spress_version(void) {
  static const std::string version = pipeline::tool_record().version;
  return version.c_str();
}

const char* spress_last_error(void) {
  return interface::error_untold ? "memory is too small, even to tell the error" : interface::last_error.c_str();
}

void spress_free_text(char* text) { std::free(text); }

void spress_set_threads(int threads) {
  constexpr int always_fine = 64;  // OpenMP ends the program where the system does not give as many as are asked for
  const int processors = omp_get_num_procs();
  omp_set_num_threads(threads > 0 ? std::min(threads, std::max(processors, always_fine)) : processors);
}

spress_result spress_list(const char* what, char** json) {
  return interface::guarded([&]() -> Status {
    SPRESS_CHECK(interface::given(what, "what"));
    SPRESS_CHECK(interface::given(json, "json"));
    SPRESS_TRY(const auto rows, pipeline::list_rows(what));
    *json = interface::handed_out(pipeline::json_of(rows));
    return Ok{};
  });
}
