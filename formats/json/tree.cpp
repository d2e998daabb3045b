#include "formats/json/tree.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "formats/json/utf8.hpp"

namespace spress::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned> hexadecimal(std::string_view digits) {
  unsigned number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (code != std::errc{} || end != digits.data() + 4 || digits.size() != 4) return std::nullopt;
  return number;
}

bool is_high_half(unsigned code) { return code >= 0xd800 && code < 0xdc00; }
bool is_low_half(unsigned code) { return code >= 0xdc00 && code < 0xe000; }

/// The bytes of an escape sequence, which begins with a backslash; 0 where it is none.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return 0;
  if (std::string_view("\"\\/bfnrt").find(text[1]) != std::string_view::npos) return 2;
  const auto code = text[1] == 'u' ? hexadecimal(text.substr(2, 4)) : std::nullopt;
  if (!code || is_low_half(*code)) return 0;
  if (!is_high_half(*code)) return 6;
  const auto second = text.substr(6, 2) == "\\u" ? hexadecimal(text.substr(8, 4)) : std::nullopt;
  return second && is_low_half(*second) ? 12 : 0;
}

void append_utf8(std::string& out, unsigned code) {
  const auto byte = [&](unsigned bits) { out += static_cast<char>(bits); };
  const auto rest = [&](unsigned shift) { byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    rest(6);
  } else {
    byte(0xf0 | code >> 18);
    rest(12);
    rest(6);
  }
  rest(0);
}

/// Appends what an escape sequence means.
void append_escape(std::string& out, std::string_view escape) {
  constexpr std::string_view letters = "bfnrt", meaning = "\b\f\n\r\t";
  if (escape.size() == 2) {
    const auto at = letters.find(escape[1]);
    out += at == std::string_view::npos ? escape[1] : meaning[at];
    return;
  }
  unsigned code = *hexadecimal(escape.substr(2, 4));
  if (escape.size() == 12) code = 0x10000 + ((code & 0x3ff) << 10 | (*hexadecimal(escape.substr(8, 4)) & 0x3ff));
  append_utf8(out, code);
}

}  // namespace

/// Reads the document from left to right, with the arrays and objects that are open on a list.
class Parser {
 public:
  Parser(Tree& tree, std::string_view text, std::size_t deepest) : tree_(tree), text_(text), deepest_(deepest) {}

  std::string run() {
    tree_.nodes_.clear();
    tree_.open_.clear();
    if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) return "is longer than 4 GiB";
    bool complete = false;
    while (problem_.empty() && !complete) complete = value() && close_finished();
    skip_space();
    if (problem_.empty() && at_ != text_.size()) fail("text follows the document");
    return problem_;
  }

 private:
  using Node = Tree::Node;

  bool fail(const std::string& what) {
    problem_ = what + " at byte " + std::to_string(at_ + 1);
    return false;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t')) ++at_;
  }
  void add(Kind kind, std::string_view text, bool escaped = false) {
    const auto end = static_cast<std::uint32_t>(tree_.nodes_.size() + 1);
    tree_.nodes_.push_back({text, end, kind, escaped});
  }

  /// Reads a value, of an array or object the bracket that opens it. False where there is a problem.
  bool value() {
    skip_space();
    switch (peek()) {
      case '{': return begin(Kind::object);
      case '[': return begin(Kind::array);
      case '"': return string();
      case 't': return word("true", Kind::boolean);
      case 'f': return word("false", Kind::boolean);
      case 'n': return word("null", Kind::null);
      default: return number();
    }
  }

  bool begin(Kind kind) {
    if (tree_.open_.size() == deepest_) return fail("it is nested too deeply");
    tree_.open_.push_back(static_cast<std::uint32_t>(tree_.nodes_.size()));
    add(kind, {});
    ++at_;
    fresh_ = true;
    return true;
  }

  /// Behind a value: closes what ends here and goes on to the next value. True once the document is complete.
  bool close_finished() {
    while (!tree_.open_.empty()) {
      Node& outer = tree_.nodes_[tree_.open_.back()];
      const bool object = outer.kind == Kind::object;
      skip_space();
      if (peek() == (object ? '}' : ']')) {
        ++at_;
        outer.end = static_cast<std::uint32_t>(tree_.nodes_.size());
        tree_.open_.pop_back();
        fresh_ = false;
        continue;
      }
      if (!std::exchange(fresh_, false)) {
        if (peek() != ',') return fail(object ? "expected ',' or '}'" : "expected ',' or ']'");
        ++at_;
      }
      if (object) name();
      return false;
    }
    return true;
  }

  bool name() {
    skip_space();
    if (peek() != '"') return fail("expected the name of a member");
    if (!string()) return false;
    skip_space();
    if (peek() != ':') return fail("expected ':'");
    ++at_;
    return true;
  }

  bool word(std::string_view text, Kind kind) {
    if (text_.substr(at_, text.size()) != text) return fail("expected a value");
    add(kind, text_.substr(at_, text.size()));
    at_ += text.size();
    return true;
  }

  bool digits() {
    if (!is_digit(peek())) return false;
    while (is_digit(peek())) ++at_;
    return true;
  }

  bool number() {
    const std::size_t begin = at_;
    Kind kind = Kind::integer;
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    if (!digits() || (zero && at_ - begin > (text_[begin] == '-' ? 2u : 1u))) return fail("expected a value");
    if (peek() == '.') {
      kind = Kind::real;
      ++at_;
      if (!digits()) return fail("expected a digit");
    }
    if (peek() == 'e' || peek() == 'E') {
      kind = Kind::real;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("expected a digit");
    }
    add(kind, text_.substr(begin, at_ - begin));
    return true;
  }

  bool string() {
    const std::size_t begin = ++at_;
    bool escaped = false;
    for (;;) {
      while (at_ < text_.size() && text_[at_] >= ' ' && text_[at_] != '"' && text_[at_] != '\\') ++at_;
      if (at_ == text_.size()) return fail("a string has no end");
      if (text_[at_] == '"') break;
      if (text_[at_] == '\\') {
        const std::size_t length = escape_length(text_.substr(at_));
        if (length == 0) return fail("an escape sequence is wrong");
        escaped = true;
        at_ += length;
        continue;
      }
      const Sequence next = first_sequence(text_.substr(at_));
      if (!next.valid) return fail("a string is no valid UTF-8");
      if (next.bytes == 1) return fail("a string holds a control character");
      at_ += next.bytes;
    }
    add(Kind::string, text_.substr(begin, at_ - begin), escaped);
    ++at_;
    return true;
  }

  Tree& tree_;
  std::string_view text_;
  std::size_t deepest_, at_ = 0;
  bool fresh_ = false;  // the innermost array or object has no items yet
  std::string problem_;
};

std::string Tree::parse(std::string_view text, std::size_t deepest) { return Parser(*this, text, deepest).run(); }

View Tree::root() const { return {this, 0}; }

std::optional<std::string> Tree::repeated_name() const {
  std::optional<std::string> repeated;
  for (std::uint32_t i = 0; i < nodes_.size() && !repeated; ++i) {
    if (nodes_[i].kind != Kind::object) continue;
    std::set<std::string> names;
    View(this, i).each_member([&](View name, View) {
      if (!names.insert(name.text()).second) repeated = name.text();
    });
  }
  return repeated;
}

const char* View::kind_name() const {
  constexpr const char* names[] = {"null", "boolean", "number", "number", "string", "array", "object"};
  return names[static_cast<std::size_t>(kind())];
}

namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

double View::number() const { return parsed<double>(source()).value_or(std::numeric_limits<double>::quiet_NaN()); }

std::optional<std::uint64_t> View::natural() const {
  return is(Kind::integer) ? source() == "-0" ? 0 : parsed<std::uint64_t>(source()) : std::nullopt;
}

std::optional<std::int64_t> View::signed_integer() const {
  return is(Kind::integer) ? parsed<std::int64_t>(source()) : std::nullopt;
}

std::string View::text() const {
  std::string_view rest = source();
  if (!node().escaped) return std::string(rest);
  std::string out;
  out.reserve(rest.size());
  while (!rest.empty()) {
    const std::size_t plain = std::min(rest.find('\\'), rest.size());
    out += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    const std::size_t length = escape_length(rest);
    append_escape(out, rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return out;
}

bool View::equals(std::string_view wanted) const { return node().escaped ? text() == wanted : source() == wanted; }

std::optional<View> View::find(std::string_view name) const {
  if (!is(Kind::object)) return std::nullopt;
  for (std::uint32_t i = index_ + 1; i < node().end; i = tree_->nodes_[i + 1].end)
    if (View(tree_, i).equals(name)) return View(tree_, i + 1);
  return std::nullopt;
}

}  // namespace spress::json
