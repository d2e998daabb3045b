// The list of formats. Adding one is a row here, its header, its encoder and its kernels (see CONTRIBUTING.md).
#pragma once

#include <string_view>
#include <utility>
#include <variant>

#include "formats/amb/amb.hpp"
#include "formats/bitmap/bmsparse.hpp"
#include "formats/bitmap/bmsparse_csr.hpp"
#include "formats/bitmap/hybrid_bm_csr.hpp"
#include "formats/bsr/bsr.hpp"
#include "formats/coo/bccoo.hpp"
#include "formats/coo/bccoo_gpu.hpp"
#include "formats/coo/bcoo.hpp"
#include "formats/coo/coo.hpp"
#include "formats/csr/csr.hpp"
#include "formats/csr/opt_csr.hpp"
#include "formats/padded/ell.hpp"
#include "formats/padded/ell_csr.hpp"
#include "formats/padded/hyb.hpp"
#include "formats/padded/sell.hpp"
#include "formats/slice_delta/slice_delta.hpp"
#include "formats/yaspmv/yaspmv.hpp"

// clang-format off
#define SPRESS_FORMATS(ROW) \
  ROW(Csr)                  \
  ROW(Coo)                  \
  ROW(OptCsr)               \
  ROW(BmSparse)             \
  ROW(BmSparseCsr)          \
  ROW(HybridBmCsr)          \
  ROW(Bcoo)                 \
  ROW(Bccoo)                \
  ROW(BccooGpu)             \
  ROW(Ell)                  \
  ROW(Sell)                 \
  ROW(Bsr)                  \
  ROW(Yaspmv)               \
  ROW(Amb)                  \
  ROW(Hyb)                  \
  ROW(EllCsr)               \
  ROW(SliceDelta)
// clang-format on

namespace spress {

/// Stands for a format template where a value is needed: for_each_format([]<template <class> class F>(Tag<F>) {...}).
template <template <class> class F>
struct Tag {
  template <class Storage>
  using type = F<Storage>;
};

/// Calls use(Tag<F>{}) for each format, in the order of the list.
template <class Use>
void for_each_format(Use&& use) {
#define SPRESS_ROW(F) use(Tag<F>{});
  SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW
}

/// Calls use(Tag<F>{}) for the format of that name; false if there is none.
template <class Use>
bool with_format(std::string_view name, Use&& use) {
  bool found = false;
  for_each_format([&]<template <class> class F>(Tag<F> tag) {
    if (!found && F<Owned>::name == name) {
      found = true;
      use(tag);
    }
  });
  return found;
}

/// A matrix in any format of the list, or nothing.
#define SPRESS_ROW(F) , F<Owned>
using AnyFormat = std::variant<std::monostate SPRESS_FORMATS(SPRESS_ROW)>;
#undef SPRESS_ROW

}  // namespace spress
