#pragma once

#include "reports/records/paper_figures.hpp"

namespace spress::pipeline {

/// The formats of this library that the papers' tables are about.
[[nodiscard]] reports::PaperFormats paper_formats();

}  // namespace spress::pipeline
