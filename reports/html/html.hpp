// The report: one HTML file that holds its data, styles, scripts and charts, and asks nothing of any network.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "reports/records/paper_figures.hpp"
#include "reports/records/record_file.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

struct HtmlOptions {
  std::string title = "What these sparse matrices cost";
  std::string source;        ///< where the records come from, shown below the title
  PaperFormats papers = {};  ///< the formats that figures beside the papers' are about
};

/// Writes the report of a collection, and of measurements where there are any. Names and messages are taken as hostile:
/// they reach the page as text only. Where the program was built without the chart libraries, the page has its tables
/// and says what is missing. Size: about 0.9 MB for the charts, and about 5 kB per matrix; the picture of an
/// ordering takes at most 6 kB.
void write_html(std::ostream& out, const std::vector<AnalyzeRecord>& records, const HtmlOptions& options = {},
                const Measurements& measured = {});

/// Whether the first 64 kB of a file are those of what `write_html` writes, in this version or an earlier one.
bool is_report_page(std::string_view begin);

/// Whether the chart libraries were found when the program was built.
bool has_charts();

}  // namespace spress::reports
