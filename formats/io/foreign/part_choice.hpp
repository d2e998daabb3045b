// Which of the matrices in one file is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/result.hpp"

namespace spress::io {

/// How much a matrix is what a file was written for. Higher ones win; two of the highest leave the choice to the user.
enum class Claim : std::uint8_t { none, dense, sparse, main };

/// Is told of every matrix in a file, in any order, and says which one to read.
class PartChoice {
 public:
  /// part: the name that the user gave, or empty.
  explicit PartChoice(std::string part) : part_(std::move(part)) {}

  /// Whether this matrix is the best so far, to be read or kept. also_named: another name that a user may give it.
  bool offer(const std::string& name, Claim claim, std::string_view also_named = {});
  /// Notes what is in the file and is no matrix, for the message where there is none.
  void pass_over(const std::string& name);

  /// The name of the matrix to read. Errors: usage where there are several, or none is called as the user said;
  /// unsupported where there is none.
  [[nodiscard]] Result<std::string> chosen() const;

 private:
  std::string part_, best_;
  Claim claim_ = Claim::none;
  std::size_t rivals_ = 0;  ///< of the best, with the same claim
  bool found_ = false;
  std::vector<std::string> names_, others_;
};

}  // namespace spress::io
