#include "formats/io/hdf5/matrix_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/io/foreign/part_choice.hpp"
#include "formats/io/hdf5/layouts.hpp"

namespace spress::io::hdf5 {
namespace {

using Place = Result<PlacedMatrix> (*)(const Object&, ChildOutput&);

/// A layout of groups: how it is known, and read.
struct Layout {
  bool (*is_it)(const Object& group);
  Place place;
};
constexpr Layout layouts[] = {{is_binsparse, place_binsparse},
                              {is_matlab_sparse, place_matlab_sparse},
                              {is_anndata, place_anndata},
                              {is_tenx, place_tenx}};

const Layout* layout_of(const Object& group) {
  const auto* const found =
      std::find_if(std::begin(layouts), std::end(layouts), [&](const Layout& row) { return row.is_it(group); });
  return found == std::end(layouts) ? nullptr : found;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string last_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Walks over all objects, each group and dataset once for every path to it.
class Search {
 public:
  Search(const Object& root, const std::string& part, bool matlab)
      : root_(root), choice_(without_slash(part)), matlab_(matlab) {
    annotated_ = root.has("obs") && root.has("var");
  }

  Status run() {
    if (const Layout* layout = layout_of(root_); layout != nullptr)
      choice_.offer("/", Claim::main);
    else
      walk(root_, 0);
    SPRESS_TRY(const std::string name, choice_.chosen());
    chosen_ = path_of(name);
    return Ok{};
  }

  [[nodiscard]] const std::string& chosen() const { return chosen_; }

 private:
  static constexpr int deepest = 8;
  static constexpr std::size_t most_objects = 20000;

  static std::string without_slash(const std::string& part) {
    return part.size() > 1 && part.starts_with('/') ? part.substr(1) : part;
  }
  /// A name as the user gives it, and back. MATLAB's names have no dots of their own.
  [[nodiscard]] std::string name_of(const std::string& path) const { return exchanged(path.substr(1), '/', '.'); }
  [[nodiscard]] std::string path_of(const std::string& name) const { return exchanged(name, '.', '/'); }
  [[nodiscard]] std::string exchanged(std::string text, char from, char to) const {
    if (matlab_ && text.size() > 1) std::replace(text.begin(), text.end(), from, to);
    return text;
  }

  void walk(const Object& group, int depth) {
    for (const std::string& name : group.names(most_objects)) {
      if (++seen_ > most_objects) return;
      if (matlab_ && name.starts_with('#')) continue;  // MATLAB's own
      const auto child = group.open(name);
      if (!child.ok()) continue;
      if (!take(*child) && child->is_group() && depth < deepest) walk(*child, depth + 1);
    }
  }

  /// Offers an object that is a matrix; false for others.
  bool take(const Object& object) {
    const std::string& path = object.path();
    const bool main = matlab_ ? last_of(path) == "A" && !parent_of(path).empty() : annotated_ && path == "/X";
    if (object.is_group()) {
      if (layout_of(object) == nullptr) return false;
      choice_.offer(name_of(path), main ? Claim::main : Claim::sparse, main && matlab_ ? name_of(parent_of(path)) : "");
      return true;
    }
    const bool field = matlab_ && !parent_of(path).empty() && !main;  // of a struct, beside its matrix
    if (is_dense(object, matlab_) && !field)
      choice_.offer(name_of(path), main ? Claim::main : Claim::dense, main && matlab_ ? name_of(parent_of(path)) : "");
    else if (parent_of(path).empty())
      choice_.pass_over(name_of(path));
    return true;
  }

  const Object& root_;
  PartChoice choice_;
  bool matlab_, annotated_ = false;
  std::size_t seen_ = 0;
  std::string chosen_;
};

/// The explicit zeros that the SuiteSparse Collection keeps beside a matrix.
Status place_zeros(const Object& structure, PlacedFile& file, ChildOutput& output) {
  if (!structure.has("Zeros")) return Ok{};
  SPRESS_TRY(const Object zeros, structure.open("Zeros"));
  if (!is_matlab_sparse(zeros)) return Ok{};
  SPRESS_TRY(file.zeros, place_matlab_sparse(zeros, output));
  file.has_zeros = true;
  return Ok{};
}

Status hand_over_object(const Object& root, const Object& object, const std::string& path, bool matlab,
                        ChildOutput& output) {
  PlacedFile file;
  const Layout* const layout = object.is_group() ? layout_of(object) : nullptr;
  if (layout == nullptr) {
    SPRESS_TRY(file.matrix, place_dense(object, matlab, output));
  } else {
    SPRESS_TRY(file.matrix, layout->place(object, output));
  }
  const auto slash = path.rfind('/');
  if (matlab && slash != std::string::npos && path.substr(slash + 1) == "A") {
    SPRESS_TRY(const Object structure, root.open(path.substr(0, slash)));
    SPRESS_CHECK(place_texts(structure, file.matrix, output));
    SPRESS_CHECK(place_zeros(structure, file, output));
  }
  return hand_over(file, output);
}

}  // namespace

Status hand_over_matrix(const Object& root, const std::string& part, bool matlab, ChildOutput& output) {
  Search search(root, part, matlab);
  SPRESS_CHECK(search.run());
  if (search.chosen() == "/") return hand_over_object(root, root, "/", matlab, output);
  SPRESS_TRY(const Object object, root.open(search.chosen()));
  return hand_over_object(root, object, search.chosen(), matlab, output);
}

}  // namespace spress::io::hdf5
