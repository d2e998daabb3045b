// write_report FILE COUNT: the report of COUNT synthetic records, for the browser test and for looking at.
#include <fstream>
#include <iostream>
#include <string>

#include "reports/html.hpp"
#include "tests/reports/sample.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_report FILE COUNT\n";
    return 2;
  }
  std::ofstream out(argv[1], std::ios::binary);
  spress::reports::write_html(out, spress::reports::sample_records(std::stoul(argv[2])),
                              {.source = "synthetic <records> & no facts"});
  out.close();
  return out.good() ? 0 : 1;
}
