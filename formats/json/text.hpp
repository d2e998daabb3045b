// Writes JSON text. Built for running out of memory: std::bad_alloc passes through, and no destructor allocates.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace spress::json {

/// The text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Writes a document piece by piece. Commas and line ends are added where they belong; strings become valid UTF-8.
class Writer {
 public:
  /// indent: spaces for each level, every item on a line of its own; negative: all on one line.
  explicit Writer(int indent = -1) : indent_(indent) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void null() { verbatim("null"); }
  void value(bool value) { verbatim(value ? "true" : "false"); }
  void value(std::int64_t value);
  void value(std::uint64_t value);
  void value(double value);  ///< the shortest digits that read back the same; null where it is not finite
  void value(std::string_view text);
  /// A value that is JSON text already.
  void verbatim(std::string_view json);

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void new_line();
  void quote(std::string_view text);

  std::string out_;
  int indent_, depth_ = 0;
  bool first_ = true, after_key_ = false;
};

/// A JSON value for building documents. Objects keep the order in which their members were added.
class Value {
 public:
  struct Item;  // of an initializer list
  using Array = std::vector<Value>;
  struct Object {
    std::vector<std::string> names;
    Array values;  // of the names, in their order
  };
  /// JSON text that is written as it is.
  struct Verbatim {
    std::string text;
  };

  Value(std::nullptr_t = nullptr) {}
  Value(bool value) : data_(value) {}
  template <std::integral T>
  Value(T value) {
    if constexpr (std::is_signed_v<T>)
      data_ = std::int64_t{value};
    else
      data_ = std::uint64_t{value};
  }
  Value(double value) : data_(value) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(std::string_view text) : data_(std::string(text)) {}
  Value(std::string text) : data_(std::move(text)) {}
  Value(Verbatim json) : data_(std::move(json)) {}
  template <std::ranges::range Items>
  requires(!std::convertible_to<const Items&, std::string_view>) Value(const Items& items) : data_(Array()) {
    for (const auto& item : items) push_back(Value(item));
  }
  /// An object if every item is a pair that begins with a text, else an array.
  Value(std::initializer_list<Item> items);

  static Value array() { return of(Array()); }
  static Value object() { return of(Object()); }

  void push_back(Value value);                 ///< of an array
  Value& operator[](const std::string& name);  ///< of an object; added if it is not there, null becomes an object

  /// The text; indent as for Writer.
  [[nodiscard]] std::string dump(int indent = -1) const;

 private:
  template <class T>
  static Value of(T data) {
    Value value;
    value.data_ = std::move(data);
    return value;
  }
  [[nodiscard]] bool names_member() const;
  void write(Writer& out) const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Verbatim, Array, Object> data_;
};

struct Value::Item {
  mutable Value value;  // moved into the document: an initializer list has constant items only

  template <class T>
  requires std::constructible_from<Value, T> Item(T from) : value(std::move(from)) {}
  Item(std::initializer_list<Item> items) : value(items) {}
};

}  // namespace spress::json
