#include "formats/core/array.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <array>
#include <bit>
#include <cstdlib>

namespace spress {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold arrays as they are in memory, little-endian");

struct DTypeRow {
  std::string_view name;
  std::size_t size;
};

constexpr std::array<DTypeRow, 12> dtype_rows = {{{"u8", 1},
                                                  {"i8", 1},
                                                  {"u16", 2},
                                                  {"i16", 2},
                                                  {"u32", 4},
                                                  {"i32", 4},
                                                  {"u64", 8},
                                                  {"i64", 8},
                                                  {"f32", 4},
                                                  {"f64", 8},
                                                  {"c64", 8},
                                                  {"c128", 16}}};

constexpr std::size_t alignment = 64;
constexpr std::size_t large_page = std::size_t{1} << 21;

}  // namespace

void* allocate_host(std::size_t bytes) {
  const std::size_t unit = bytes >= large_page ? large_page : alignment;
  void* memory = nullptr;  // not from aligned_alloc: it asks for whole units, in whose last no overrun would be noticed
  if (posix_memalign(&memory, unit, bytes) != 0 || memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (unit == large_page) madvise(memory, bytes, MADV_HUGEPAGE);  // only advice: without large pages all goes on
#endif
  return memory;
}

void release_host(void* memory) noexcept { std::free(memory); }

std::string_view to_string(DType type) { return dtype_rows[static_cast<std::size_t>(type)].name; }
std::size_t size_of(DType type) { return dtype_rows[static_cast<std::size_t>(type)].size; }

}  // namespace spress
