#include "pipeline/collection/paper_formats.hpp"

#include <string>
#include <vector>

#include "formats/list.hpp"

namespace spress::pipeline {
namespace {

template <template <class> class Format>
std::string name_of() {
  return std::string(Format<Owned>::name);
}

std::vector<reports::PaperComparison> measured() {
  return {{"000 on a CPU", name_of<Bccoo>(), {name_of<Bcoo>()}, true},
          {"000 on a GPU", name_of<BccooGpu>(), {}, true},
          {"001", name_of<Amb>(), {name_of<Sell>(), name_of<Bsr>()}, true},
          {"003", name_of<Sell>(), {name_of<Csr>()}, false},
          {"004", name_of<EllCsr>(), {name_of<Csr>(), name_of<Ell>(), name_of<Hyb>()}, false}};
}

}  // namespace

reports::PaperFormats paper_formats() {
  return {name_of<Coo>(),      name_of<BccooGpu>(), name_of<Bccoo>(), name_of<Amb>(),
          name_of<BmSparse>(), name_of<OptCsr>(),   measured()};
}

}  // namespace spress::pipeline
