// What the project asks of fmt, to see whether compiled_once.cpp has it all for the version at hand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

int main() {
  const std::vector<double> numbers = {0.5, 1};
  const std::vector<std::string> names = {"a", "b"};
  const std::string text = fmt::format("{:.3g} {} {:>8} {}", 0.5, fmt::join(names, ", "), 7, fmt::join(numbers, " "));
  return text.empty() ? 1 : 0;
}
