// A matrix as it came from a file or a generator: CSR plus what its source said about it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/params.hpp"
#include "formats/csr/csr.hpp"

namespace spress {

enum class Field : std::uint8_t { real, integer, complex, pattern };
template <>
struct EnumNames<Field> {
  static constexpr std::array<std::string_view, 4> names = {"real", "integer", "complex", "pattern"};
};

enum class Symmetry : std::uint8_t { general, symmetric, skew_symmetric, hermitian };
template <>
struct EnumNames<Symmetry> {
  static constexpr std::array<std::string_view, 4> names = {"general", "symmetric", "skew-symmetric", "hermitian"};
};

struct MatrixInfo {
  std::string name;           ///< the file's name without endings of compressions and archives, then .mtx, .rb
  std::string path;           ///< as given
  Field field = Field::real;  ///< as declared
  Symmetry symmetry = Symmetry::general;  ///< as declared; the CSR always holds both triangles
  std::uint64_t stored_entries = 0;       ///< entries in the source, before expansion
  std::uint64_t duplicates = 0;           ///< entries merged into another, counted after symmetric expansion
  std::string comments = {};              ///< of the source, whole lines, each with its % and its newline
  std::string note = {};                  ///< what a user has to know about the reading, or empty
  std::optional<Spec> generator = {};     ///< of a generated matrix: the generator with all its parameters
};

struct Matrix {
  MatrixInfo info;
  Csr<Owned> csr;  ///< all entries, sorted, duplicates summed, explicit zeros kept; values: raw double, complex or none
};

}  // namespace spress
