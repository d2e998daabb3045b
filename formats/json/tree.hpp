// Reads JSON text into a flat list of its values. Nothing nests, so neither deep documents nor a lack of memory can do
// more than fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spress::json {

enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

/// A value within a Tree, which must outlive it, as must the text.
class View;

/// A parsed document. Parsing again reuses the memory.
class Tree {
 public:
  /// Parses one document (RFC 8259, no byte order mark). Returns what is wrong with it, or nothing.
  /// Complexity: one pass over the text.
  [[nodiscard]] std::string parse(std::string_view text, std::size_t deepest = 64);
  /// Requires: parse found nothing wrong.
  [[nodiscard]] View root() const;
  /// A name that some object has twice, or nothing.
  [[nodiscard]] std::optional<std::string> repeated_name() const;

 private:
  friend class View;
  friend class Parser;
  struct Node {
    std::string_view text;  // of a string: what stands between its quotes
    std::uint32_t end;      // the place behind the last node of this value
    Kind kind;
    bool escaped;  // a string with backslashes
  };
  std::vector<Node> nodes_;          // a value's members follow it; those of an object with their names before them
  std::vector<std::uint32_t> open_;  // while parsing: the arrays and objects without an end
};

class View {
 public:
  [[nodiscard]] Kind kind() const { return node().kind; }
  [[nodiscard]] bool is(Kind kind) const { return node().kind == kind; }
  [[nodiscard]] const char* kind_name() const;  ///< "null", "boolean", "number", "string", "array", "object"
  [[nodiscard]] std::string_view source() const { return node().text; }  ///< of a number: its text
  [[nodiscard]] bool truth() const { return node().text == "true"; }
  [[nodiscard]] double number() const;
  [[nodiscard]] std::optional<std::uint64_t> natural() const;        ///< where it is an integer from 0 to 2^64 - 1
  [[nodiscard]] std::optional<std::int64_t> signed_integer() const;  ///< where it is an integer of 64 bits
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool equals(std::string_view text) const;  ///< whether a string is this one

  /// The member of an object, or nothing.
  [[nodiscard]] std::optional<View> find(std::string_view name) const;
  /// Of an array, for a range-based for; of other values none.
  class Items;
  [[nodiscard]] Items items() const;
  /// Calls use(name, value) for each member. Requires: an object.
  template <class Use>
  void each_member(Use use) const {
    for (std::uint32_t i = index_ + 1; i < node().end; i = tree_->nodes_[i + 1].end)
      use(View(tree_, i), View(tree_, i + 1));
  }

 private:
  friend class Tree;
  View(const Tree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
  [[nodiscard]] const Tree::Node& node() const { return tree_->nodes_[index_]; }

  const Tree* tree_;
  std::uint32_t index_;
};

class View::Items {
 public:
  class Iterator {
   public:
    Iterator(const Tree* tree, std::uint32_t index) : at_(tree, index) {}
    View operator*() const { return at_; }
    bool operator!=(const Iterator& other) const { return at_.index_ != other.at_.index_; }
    Iterator& operator++() {
      at_.index_ = at_.node().end;
      return *this;
    }

   private:
    View at_;
  };
  explicit Items(View array) : array_(array) {}
  [[nodiscard]] Iterator begin() const { return {array_.tree_, array_.index_ + 1}; }
  [[nodiscard]] Iterator end() const {
    return {array_.tree_, array_.is(Kind::array) ? array_.node().end : array_.index_ + 1};
  }

 private:
  View array_;
};

inline View::Items View::items() const { return Items(*this); }

}  // namespace spress::json
