// Size streams made of a state and two functions.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "encode/shared/codec.hpp"

namespace spress {

namespace detail {

template <class State, class Add, class Size>
class StatefulSizeStream final : public SizeStream {
 public:
  StatefulSizeStream(State begin, Add add_panel, Size size_of)
      : state_(std::move(begin)), add_(std::move(add_panel)), size_(std::move(size_of)) {}
  void add(const RowPanel& panel) override { add_(state_, panel); }
  Result<SizeEstimate> size(const WholeMatrix& whole,
                            [[maybe_unused]] const analyze::ValueStatistics& values) override {
    if constexpr (std::is_invocable_v<Size&, State&, const WholeMatrix&, const analyze::ValueStatistics&>)
      return size_(state_, whole, values);
    else
      return size_(state_, whole);
  }

 private:
  State state_;
  Add add_;
  Size size_;
};

}  // namespace detail

/// add(state, panel) for each panel, then size(state, whole) or size(state, whole, values).
template <class State, class Add, class Size>
[[nodiscard]] std::unique_ptr<SizeStream> make_size_stream(State state, Add add, Size size) {
  return std::make_unique<detail::StatefulSizeStream<State, Add, Size>>(std::move(state), std::move(add),
                                                                        std::move(size));
}

/// The stream of a format whose size follows from the shape and the number of entries: size(whole).
template <class Size>
[[nodiscard]] std::unique_ptr<SizeStream> size_of_shape(Size size) {
  struct Nothing {};
  return make_size_stream(
      Nothing{}, [](Nothing&, const RowPanel&) {},
      [size](const Nothing&, const WholeMatrix& whole) { return Result<SizeEstimate>(size(whole)); });
}

/// Calls use(length) for each row of a panel.
template <class Use>
void for_each_length(const RowPanel& panel, Use&& use) {
  with_positions(panel.csr.row_ptr, [&](const auto* row_ptr) {
    for (std::uint64_t r = 0; r < panel.csr.rows; ++r) use(std::uint64_t{row_ptr[r + 1] - row_ptr[r]});
  });
}

}  // namespace spress
