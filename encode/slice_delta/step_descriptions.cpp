#include "encode/slice_delta/step_descriptions.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "formats/core/description.hpp"

namespace spress {

void describe_steps(const Steps& steps, StepWords& out) {
  std::int64_t least = 0, most = 0;  // bases
  std::uint32_t widths = 0;
  for (const Step& s : steps.list) {
    least = std::min(least, s.base);
    most = std::max(most, s.base);
    widths |= s.width;
  }
  const bool wide = least < slice_words::smallest_base || most > slice_words::largest_base;
  out.clear();
  out.reserve(8 + 3 * steps.list.size());
  out.resize(1 + steps.list.size());
  out[0] = static_cast<std::uint32_t>(steps.list.size()) | (wide ? slice_words::wide_bases : 0) |
           (steps.masks != 0 ? slice_words::any_mask : 0) | (widths != 0 ? slice_words::any_width : 0);
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    const Step& s = steps.list[k];
    out[1 + k] =
        s.width | (s.mask != ~0u ? slice_words::has_mask : 0) | (wide ? 0 : static_cast<std::uint32_t>(s.base) << 7);
  }
  if (wide) {
    out.resize(1 + slice_words::words_to_bases(out.front()));
    for (const Step& s : steps.list) out.push_back(static_cast<std::uint32_t>(s.base));
  }
  if (steps.masks == 0) return;
  out.resize(1 + slice_words::words_to_masks(out.front()));
  for (std::size_t k = 0; k < steps.list.size(); k += 4) {
    const auto turn = std::span(steps.list).subspan(k, std::min<std::size_t>(4, steps.list.size() - k));
    if (std::all_of(turn.begin(), turn.end(), [](const Step& s) { return s.mask == ~0u; })) continue;
    for (const Step& s : turn) out.push_back(s.mask);
    out.resize((out.size() + 2) / 4 * 4 + 1);
  }
}

Result<std::uint32_t> StepDictionary::place(const std::uint32_t* description, std::uint32_t size) {
  const std::uint64_t key = checksum(description, 4 * std::uint64_t{size});
  const auto [first, last] = known_.equal_range(key);
  for (auto it = first; it != last; ++it)
    if (it->second.size == size &&
        std::memcmp(words_.data() + it->second.first_word - 1, description, 4 * std::uint64_t{size}) == 0)
      return it->second.first_word;
  const std::uint64_t first_word = (words_.size() + 1 + 3) / 4 * 4;
  if (first_word + size > std::numeric_limits<std::uint32_t>::max())
    return Error{ErrorCode::too_large, "slice-delta: descriptions of more than 2^32 words"};
  words_.resize(first_word - 1);
  words_.insert(words_.end(), description, description + size);
  known_.emplace(key, Place{static_cast<std::uint32_t>(first_word), size});
  return static_cast<std::uint32_t>(first_word);
}

}  // namespace spress
