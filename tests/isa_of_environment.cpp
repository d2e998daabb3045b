// Lets SPRESS_ISA choose the instruction set of a test program, as of the command line.
#include <cstdio>
#include <cstdlib>

#include "formats/core/isa.hpp"

namespace {

[[maybe_unused]] const bool selected = [] {
  const char* name = std::getenv("SPRESS_ISA");
  if (name == nullptr || *name == '\0') return false;
  const spress::Status status = spress::select_isa(std::string_view(name));
  if (status.ok()) return true;
  std::fprintf(stderr, "SPRESS_ISA=%s\n", status.error().message.c_str());
  std::exit(2);
}();

}  // namespace
