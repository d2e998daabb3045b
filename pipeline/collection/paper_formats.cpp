#include "pipeline/collection/paper_formats.hpp"

#include <string>

#include "formats/list.hpp"

namespace spress::pipeline {

reports::PaperFormats paper_formats() {
  return {std::string(Coo<Owned>::name), std::string(BccooGpu<Owned>::name), std::string(Bccoo<Owned>::name),
          std::string(Amb<Owned>::name), std::string(BmSparse<Owned>::name), std::string(OptCsr<Owned>::name)};
}

}  // namespace spress::pipeline
