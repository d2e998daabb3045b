#include "formats/io/readers/file_kinds.hpp"

#include <algorithm>

#include "formats/core/names.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/bytes/listed.hpp"
#include "formats/io/foreign/hdf5.hpp"
#include "formats/io/matlab/matlab.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "formats/io/readers/edge_list.hpp"
#include "formats/io/readers/metis.hpp"
#include "formats/io/readers/npy.hpp"
#include "formats/io/readers/npz.hpp"
#include "formats/io/readers/petsc.hpp"
#include "formats/io/readers/rutherford_boeing.hpp"
#include "formats/io/rows/matrix_market_rows.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

bool begins_matrix_market(std::string_view head) {
  std::string line(head.substr(0, head.find('\n')));
  std::transform(line.begin(), line.end(), line.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return line.find("%matrixmarket ") != std::string::npos;
}

#ifdef SPRESS_WITH_HDF5
constexpr bool with_hdf5 = true;
#else
constexpr bool with_hdf5 = false;
#endif

const std::vector<FileKind>& table() {
  static const std::vector<FileKind> kinds = {
      {.name = "matrix-market",
       .summary = "text: coordinate and array, every field and symmetry",
       .endings = {".mtx"},
       .recognises = begins_matrix_market,
       .read = read_matrix_market_text,
       .write = write_matrix_market,
       .rows = matrix_market_rows,
       .packed_endings = {".gz", ".zst"}},
      {.name = "rutherford-boeing",
       .summary = "text: Rutherford-Boeing and Harwell-Boeing, assembled",
       .endings = {".rb", ".hb", ".rua", ".rsa", ".rza", ".rra", ".pua", ".psa", ".pra", ".cua", ".csa", ".cha", ".cza",
                   ".cra", ".iua", ".isa"},
       .recognises = begins_rutherford_boeing,
       .read = read_rutherford_boeing,
       .write = write_rutherford_boeing},
      {.name = "scipy-npz",
       .summary = "SciPy's sparse matrices (csr, csc, coo, bsr, dia), or an array of NumPy's",
       .endings = {".npz"},
       .recognises = is_npz,
       .read = read_npz,
       .write = write_npz,
       .has_parts = true,
       .compresses = true},
      {.name = "numpy-npy",
       .summary = "a dense array of NumPy's, whose nonzeros become entries",
       .endings = {},
       .endings_if_named = {".npy"},
       .recognises = begins_npy,
       .read = read_npy},
      {.name = "petsc",
       .summary = "PETSc's binary matrices",
       .endings = {".petsc"},
       .recognises = begins_petsc,
       .read = read_petsc,
       .write = write_petsc},
      {.name = "metis", .summary = "text: METIS's graphs", .endings = {".graph"}, .read = read_metis},
      {.name = "edge-list",
       .summary = "text: row, column and perhaps a value a line; also of SNAP and KONECT",
       .endings = {".el", ".edges"},
       .endings_if_named = {".tsv", ".csv", ".txt"},
       .read = read_edge_list},
      {.name = "matlab",
       .summary =
           with_hdf5 ? "sparse and dense variables, -v6, -v7 and -v7.3" : "sparse and dense variables, -v6 and -v7",
       .endings = {".mat"},
       .recognises = is_matlab,
       .read = read_matlab,
       .has_parts = true,
       .compresses = true},
      {.name = "hdf5",
       .summary = "Binsparse, AnnData and 10x Genomics; written as Binsparse",
       .endings = {".h5", ".hdf5", ".h5ad"},
       .recognises = is_hdf5,
       .read = with_hdf5 ? read_hdf5 : nullptr,
       .write = with_hdf5 ? write_hdf5 : nullptr,
       .has_parts = true,
       .compresses = true,
       .needs = "HDF5"},
  };
  return kinds;
}

bool has_ending(const fs::path& name, const std::vector<std::string_view>& endings) {
  const std::string text = name.filename().string();
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return text.size() > ending.size() && text.ends_with(ending); });
}

const FileKind* kind_of_name(const fs::path& name) {
  for (const FileKind& kind : table())
    if (has_ending(name, kind.endings) || has_ending(name, kind.endings_if_named)) return &kind;
  return nullptr;
}

}  // namespace

std::span<const FileKind> file_kinds() { return table(); }

Result<const FileKind*> find_file_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const FileKind& kind : table()) {
    if (kind.name == name) return &kind;
    names.emplace_back(kind.name);
  }
  return Error{ErrorCode::usage,
               with_choices("unknown kind of file '" + std::string(name) + "'", name, "the choices are", names)};
}

const FileKind* kind_of_content(std::string_view head, const fs::path& name) {
  for (const FileKind& kind : table())
    if (kind.recognises != nullptr && kind.recognises(head)) return &kind;
  return kind_of_name(name);
}

std::vector<std::string> endings_to_write(const FileKind& kind) {
  std::vector<std::string> endings;
  if (kind.write == nullptr) return endings;
  const std::string plain(kind.endings.front());
  endings.push_back(plain);
  for (const std::string_view packed : kind.packed_endings) endings.push_back(plain + std::string(packed));
  return endings;
}

bool may_be_compressed(const fs::path& path) {
  const FileKind* const kind = kind_of_name(path);
  return is_packed_name(path) || (kind != nullptr && kind->compresses);
}

const FileKind* kind_to_write(const fs::path& path) {
  for (const FileKind& kind : table())
    for (const std::string& ending : endings_to_write(kind))
      if (has_ending(path, {ending})) return &kind;
  return nullptr;
}

std::string matrix_name(const fs::path& path) {
  const std::string name = without_compression(path.filename().string());
  return kind_of_name(name) != nullptr ? fs::path(name).stem().string() : name;
}

bool is_matrix_name(const fs::path& name) {
  return std::any_of(table().begin(), table().end(),
                     [&](const FileKind& kind) { return has_ending(name, kind.endings); });
}

bool looks_like_matrix(const fs::path& path) {
  return is_archive(path) || is_matrix_name(without_compression(path.filename().string()));
}

std::string input_endings() {
  std::string text;
  for (const FileKind& kind : table())
    for (const std::string_view ending : kind.endings) text += std::string(ending) + ", ";
  std::string packed;
  for (const CompressionEntry& entry : compressions())
    packed += (packed.empty() ? "" : ", ") + std::string(entry.ending);
  return text + "also with " + packed + "; " + archive_endings();
}

Status write_matrix(const Csr<Viewed>& a, const MatrixInfo& info, const fs::path& path) {
  const FileKind* kind = kind_to_write(path);
  if (kind != nullptr) return kind->write(a, info, path);
  std::vector<std::string> endings;
  for (const FileKind& written : table())
    for (std::string& ending : endings_to_write(written)) endings.push_back(std::move(ending));
  return Error{ErrorCode::usage, "its ending is of no kind that is written: " + listed(endings), path.string(), 0};
}

}  // namespace spress::io
