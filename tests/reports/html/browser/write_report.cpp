// write_report FILE COUNT [MEASURED]: the report of COUNT synthetic records of analyze, and measurements of MEASURED
// matrices, or for "figures" those of the papers' figures; for the browser test and for looking at.
#include <fstream>
#include <iostream>
#include <string>

#include "reports/html/html.hpp"
#include "tests/reports/sample.hpp"

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: write_report FILE COUNT [MEASURED|figures]\n";
    return 2;
  }
  std::ofstream out(argv[1], std::ios::binary);
  spress::reports::Measurements measured;
  if (argc == 4)
    measured = std::string(argv[3]) == "figures" ? spress::reports::sample_figures()
                                                 : spress::reports::sample_measurements(std::stoul(argv[3]));
  spress::reports::HtmlOptions options;
  options.papers = spress::reports::sample_papers();
  options.source = "synthetic <records> & no facts";
  spress::reports::write_html(out, spress::reports::sample_records(std::stoul(argv[2])), options, measured);
  out.close();
  return out.good() ? 0 : 1;
}
