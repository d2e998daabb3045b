// Where the tests' data lies; CMakeLists.txt sets SPRESS_TESTS for the programs that read it.
#pragma once

#include <filesystem>

namespace spress {

inline std::filesystem::path tests_folder() { return SPRESS_TESTS; }
inline std::filesystem::path data_folder() { return tests_folder() / "data"; }

}  // namespace spress
