#include "reports/html/html.hpp"

#include <zstd.h>

#include <functional>
#include <ostream>
#include <string_view>

#include "formats/json/text.hpp"
#include "reports/html/embedded.hpp"
#include "reports/html/page_data.hpp"
#include "reports/json/json.hpp"

namespace spress::reports {
namespace {

/// The content of an embedded file. Requires: the build embedded it.
std::string embedded(std::string_view name) {
  std::string content;
  for (const auto& [file, compressed, bytes] : embedded_files()) {
    if (file != name) continue;
    content.resize(bytes);
    ZSTD_decompress(content.data(), bytes, compressed.data(), compressed.size());
  }
  return content;
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

/// A script that cannot end its element early: both sequences mean the same inside strings and regular expressions.
std::string script_text(std::string_view code) {
  std::string text(code);
  for (const auto& [dangerous, harmless] : {std::pair{"</script", "<\\/script"}, std::pair{"<!--", "<\\!--"}}) {
    for (std::size_t at = text.find(dangerous); at != std::string::npos; at = text.find(dangerous, at + 1)) {
      text.replace(at, std::string_view(dangerous).size(), harmless);
    }
  }
  return text;
}

/// Each chart library in a script element of its own, below its licence.
void write_charts(std::ostream& out) {
  for (const char* package : {"vega", "vega-lite", "vega-embed"}) {
    const std::string name = package;
    out << "<script>\n/* " << name << ":\n" << embedded(name + "/LICENSE") << "*/\n";
    out << script_text(embedded(name + "/build/" + name + ".min.js")) << "\n</script>\n";
  }
}

void write_scripts(std::ostream& out) {
  for (const char* name :
       {"data.js",         "elements.js",     "filters.js", "figures.js",    "charts.js",    "size_charts.js",
        "index_charts.js", "paper_charts.js", "spy.js",     "table.js",      "measured.js",  "products.js",
        "transfer.js",     "comparing.js",    "by_size.js", "by_threads.js", "by_matrix.js", "questions.js",
        "papers.js",       "sections.js",     "selftest.js"}) {
    out << "<script>\n" << script_text(embedded(name)) << "</script>\n";
  }
}

/// Writes the page, each {{name}} replaced by what `fill` writes for it.
void fill_page(std::ostream& out, std::string_view page, const std::function<void(std::string_view)>& fill) {
  while (true) {
    const std::size_t begin = page.find("{{"), end = page.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    out << page.substr(0, begin);
    fill(page.substr(begin + 2, end - begin - 2));
    page.remove_prefix(end + 2);
  }
  out << page;
}

}  // namespace

bool has_charts() { return charts_missing_reason().empty(); }

void write_html(std::ostream& out, const std::vector<AnalyzeRecord>& records, const HtmlOptions& options,
                const Measurements& measured) {
  fill_page(out, embedded("page.html"), [&](std::string_view name) {
    if (name == "title") out << escaped(json::valid_utf8(options.title));
    if (name == "style") out << embedded("page.css");
    if (name == "charts missing") out << escaped(charts_missing_reason());
    if (name == "data") out << page_data(records, options.source, measured, options.papers);
    if (name == "charts" && has_charts()) write_charts(out);
    if (name == "scripts") write_scripts(out);
  });
}

bool is_report_page(std::string_view begin) {
  // This sentence of page.html has been in every report since version 0.1.0.
  return begin.find("The same figures are in results.csv and summary.json.") != std::string_view::npos;
}

}  // namespace spress::reports
