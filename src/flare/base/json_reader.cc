#include "flare/base/json_reader.h"

#include <fmt/format.h>

#include <new>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare {
namespace dom = simdjson::dom;

dom::object JsonValue::Object() const {
  dom::object object;
  if (element_.get(object) != simdjson::SUCCESS) Fail("expected an object");
  return object;
}

std::optional<JsonValue> JsonValue::Find(std::string_view name) const {
  dom::element field;
  if (Object()[name].get(field) != simdjson::SUCCESS || field.is_null()) return std::nullopt;
  return JsonValue(field, *where_);
}

JsonValue JsonValue::At(std::string_view name) const {
  const auto field = Find(name);
  if (!field) Fail(fmt::format("'{}' is missing", name));
  return *field;
}

double JsonValue::NumberOr(std::string_view name, double otherwise) const {
  return MaybeNumber(name).value_or(otherwise);
}

std::optional<double> JsonValue::MaybeNumber(std::string_view name) const {
  const auto field = Find(name);
  if (!field) return std::nullopt;
  return field->AsNumber(name);
}

std::uint64_t JsonValue::CountOr(std::string_view name, std::uint64_t otherwise) const {
  return MaybeCount(name).value_or(otherwise);
}

std::optional<std::uint64_t> JsonValue::MaybeCount(std::string_view name) const {
  const auto field = Find(name);
  if (!field) return std::nullopt;
  return field->AsCount(name);
}

std::string JsonValue::StringOr(std::string_view name, const std::string& otherwise) const {
  const auto field = Find(name);
  return field ? field->AsString(name) : otherwise;
}

bool JsonValue::Truth(std::string_view name) const {
  const auto field = Find(name);
  return field && field->AsNumber(name) != 0;
}

std::vector<std::string> JsonValue::Strings(std::string_view name) const {
  std::vector<std::string> texts;
  for (const JsonValue& value : Array(name)) texts.push_back(value.AsString(name));
  return texts;
}

double JsonValue::AsNumber(std::string_view name) const {
  double number;
  if (element_.get(number) == simdjson::SUCCESS) return number;
  bool truth;
  if (element_.get(truth) == simdjson::SUCCESS) return truth ? 1 : 0;
  Fail(fmt::format("'{}' is {}, not a number", name, Quoted(Text())));
}

std::int64_t JsonValue::AsInteger(std::string_view name) const {
  std::int64_t number;
  if (element_.get(number) == simdjson::SUCCESS) return number;
  Fail(fmt::format("'{}' is {}, not a whole number", name, Quoted(Text())));
}

std::uint64_t JsonValue::AsCount(std::string_view name) const {
  std::uint64_t count;
  if (element_.get(count) == simdjson::SUCCESS) return count;
  Fail(fmt::format("'{}' is {}, not a count", name, Quoted(Text())));
}

std::string JsonValue::AsString(std::string_view name) const {
  std::string_view text;
  if (element_.get(text) == simdjson::SUCCESS) return std::string(text);
  Fail(fmt::format("'{}' is {}, not a string", name, Quoted(Text())));
}

std::vector<JsonValue> JsonValue::Elements(std::string_view name) const {
  dom::array array;
  if (element_.get(array) != simdjson::SUCCESS) {
    Fail(fmt::format("'{}' is {}, not a list", name, Quoted(Text())));
  }
  std::vector<JsonValue> values;
  for (const dom::element element : array) values.emplace_back(element, *where_);
  return values;
}

std::string JsonValue::Text() const {
  std::string_view text;
  if (element_.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(element_);
}

void JsonValue::Fail(const std::string& what, const std::string& hint) const {
  throw InputError(*where_, what, hint);
}

JsonValue JsonReader::Parse(std::string_view text, const std::string& where) {
  where_ = where;
  dom::element element;
  const auto error = parser_.parse(text.data(), text.size()).get(element);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error == simdjson::EMPTY) throw InputError(where, "is not JSON: it is empty");
  if (error != simdjson::SUCCESS) {
    throw InputError(where, fmt::format("is not JSON: {}", simdjson::error_message(error)));
  }
  return JsonValue(element, where_);
}

JsonValue JsonReader::Read(const std::filesystem::path& file) {
  return Parse(ReadRegularFile(file), file.string());
}

std::string JsonReader::LineOf(const std::string& file, std::size_t line) {
  return FileLine(file, line);
}

}  // namespace flare
