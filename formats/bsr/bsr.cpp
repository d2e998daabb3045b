#include "formats/bsr/bsr.hpp"

#include <string>

#include "formats/core/block_checks.hpp"

namespace spress {

Status validate(const Bsr<Viewed>& a) {
  using F = Bsr<Viewed>;
  if (a.r < 1 || a.r > F::largest_side || a.c < 1 || a.c > F::largest_side)
    return checks::damaged("r and c must be 1 to 8");
  SPRESS_CHECK(checks::length("block_col", a.block_col.size(), a.blocks));
  const std::uint64_t slots = a.blocks * a.slots_of_block();
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, slots));
  SPRESS_CHECK(checks::present(a, slots, slots));
  SPRESS_CHECK(checks::monotone("block_ptr", a.block_ptr, a.block_rows() + 1, a.blocks));
  return with_positions(a.block_ptr, [&](const auto* ptr) -> Status {
    for (std::uint64_t i = 0; i < a.block_rows(); ++i)
      for (std::uint64_t b = ptr[i]; b < ptr[i + 1]; ++b) {
        if (b > ptr[i] && a.block_col[b] <= a.block_col[b - 1])
          return checks::damaged("block_col does not ascend at block " + std::to_string(b));
        const auto slot_of = [&](std::uint64_t s) { return b * a.slots_of_block() + s; };
        if (const char* complaint =
                checks::complaint_about_block(a, i * a.r, std::uint64_t{a.block_col[b]} * a.c, slot_of);
            complaint != nullptr)
          return checks::damaged("block " + std::to_string(b) + " " + complaint);
      }
    return Ok{};
  });
}

}  // namespace spress
