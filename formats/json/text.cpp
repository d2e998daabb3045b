#include "formats/json/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/json/utf8.hpp"

namespace spress::json {

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Sequence next = first_sequence(text);
    if (next.valid)
      out += text.substr(0, next.bytes);
    else
      out += "\xef\xbf\xbd";
    text.remove_prefix(next.bytes);
  }
  return out;
}

void Writer::new_line() {
  if (indent_ < 0) return;
  out_ += '\n';
  out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
}

void Writer::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) out_ += ',';
  first_ = false;
  if (depth_ > 0) new_line();
}

void Writer::open(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void Writer::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  out_ += bracket;
  first_ = false;
}

namespace {

/// Whether it stands in a string as it is: not where it is quoted, or may be part of a longer sequence.
bool is_plain(char c) { return c >= ' ' && static_cast<unsigned char>(c) < 0x7f && c != '"' && c != '\\'; }

}  // namespace

void Writer::quote(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  out_ += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text[0];
    if (static_cast<unsigned char>(c) >= 0x7f) {
      const Sequence next = first_sequence(text);
      out_ += next.valid ? text.substr(0, next.bytes) : std::string_view("\xef\xbf\xbd");
      text.remove_prefix(next.bytes);
      continue;
    }
    switch (c) {
      case '"': out_ += "\\\""; break;
      case '\\': out_ += "\\\\"; break;
      case '\b': out_ += "\\b"; break;
      case '\f': out_ += "\\f"; break;
      case '\n': out_ += "\\n"; break;
      case '\r': out_ += "\\r"; break;
      case '\t': out_ += "\\t"; break;
      default:
        out_ += "\\u00";
        out_ += digits[static_cast<unsigned char>(c) >> 4];
        out_ += digits[static_cast<unsigned char>(c) & 15];
    }
    text.remove_prefix(1);
  }
  out_ += '"';
}

void Writer::key(std::string_view name) {
  separate();
  quote(name);
  out_ += indent_ < 0 ? ":" : ": ";
  after_key_ = true;
}

void Writer::value(std::string_view text) {
  separate();
  quote(text);
}

void Writer::verbatim(std::string_view json) {
  separate();
  out_ += json;
}

namespace {

std::string_view digits_of(auto number, char* begin, char* end) {
  return {begin, static_cast<std::size_t>(std::to_chars(begin, end, number).ptr - begin)};
}

}  // namespace

void Writer::value(std::int64_t number) {
  char room[24];
  verbatim(digits_of(number, room, room + sizeof room));
}

void Writer::value(std::uint64_t number) {
  char room[24];
  verbatim(digits_of(number, room, room + sizeof room));
}

void Writer::value(double number) {
  if (!std::isfinite(number)) return null();
  char room[48];
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e15);
  const auto [end, code] =
      std::to_chars(room, room + sizeof room, number, plain ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view digits(room, static_cast<std::size_t>(end - room));
  verbatim(digits);
  if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";  // so that it reads back as no integer
}

bool Value::names_member() const {
  const auto* pair = std::get_if<Array>(&data_);
  return pair != nullptr && pair->size() == 2 && std::holds_alternative<std::string>(pair->front().data_);
}

Value::Value(std::initializer_list<Item> items) {
  if (std::all_of(items.begin(), items.end(), [](const Item& item) { return item.value.names_member(); })) {
    Object& members = data_.emplace<Object>();
    for (const Item& item : items) {
      Array& pair = std::get<Array>(item.value.data_);
      members.names.push_back(std::move(std::get<std::string>(pair[0].data_)));
      members.values.push_back(std::move(pair[1]));
    }
  } else {
    Array& list = data_.emplace<Array>();
    list.reserve(items.size());
    for (const Item& item : items) list.push_back(std::move(item.value));
  }
}

void Value::push_back(Value value) { std::get<Array>(data_).push_back(std::move(value)); }

Value& Value::operator[](const std::string& name) {
  if (std::holds_alternative<std::nullptr_t>(data_)) data_ = Object();
  auto& [names, values] = std::get<Object>(data_);
  const auto found = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  if (found == names.size()) {
    names.push_back(name);
    values.emplace_back();
  }
  return values[found];
}

void Value::write(Writer& out) const {
  if (const auto* object = std::get_if<Object>(&data_)) {
    out.begin_object();
    for (std::size_t i = 0; i < object->names.size(); ++i) {
      out.key(object->names[i]);
      object->values[i].write(out);
    }
    return out.end_object();
  }
  if (const auto* list = std::get_if<Array>(&data_)) {
    out.begin_array();
    for (const Value& item : *list) item.write(out);
    return out.end_array();
  }
  if (const auto* json = std::get_if<Verbatim>(&data_)) return out.verbatim(json->text);
  if (const auto* text = std::get_if<std::string>(&data_)) return out.value(std::string_view(*text));
  if (const auto* truth = std::get_if<bool>(&data_)) return out.value(*truth);
  if (const auto* number = std::get_if<std::int64_t>(&data_)) return out.value(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&data_)) return out.value(*number);
  if (const auto* number = std::get_if<double>(&data_)) return out.value(*number);
  out.null();
}

std::string Value::dump(int indent) const {
  Writer out(indent);
  write(out);
  return out.take();
}

}  // namespace spress::json
