// This program uses fmt as the project does. It links if compiled_once.cpp has all of that for the version at hand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <iterator>
#include <vector>

int main() {
  const std::vector<double> numbers = {0.5, 1};
  const std::vector<std::string> names = {"a", "b"};
  const std::string text = fmt::format("{:.3g} {} {:>8} {}", 0.5, fmt::join(names, ", "), 7, fmt::join(numbers, " "));
  fmt::memory_buffer buffer;
  fmt::format_to(std::back_inserter(buffer), "{:>{}} {:e}", 1, 4, 0.5F);
  fmt::print("{}{}", text, fmt::to_string(buffer));
  fmt::print(stderr, fmt::runtime("{}\n"), text.size());
}
