#include "formats/array.hpp"

#include <array>

namespace spress {
namespace {

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

}  // namespace

std::string_view to_string(DType type) { return dtype_rows[static_cast<std::size_t>(type)].name; }
std::size_t size_of(DType type) { return dtype_rows[static_cast<std::size_t>(type)].size; }

}  // namespace spress
