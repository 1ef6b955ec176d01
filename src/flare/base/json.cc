#include "flare/base/json.h"

#include <fmt/format.h>

#include <cstddef>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kMostMembers = 10'000;

// Text from a command line need not be UTF-8.
std::string Shown(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Looks at brackets, commas and quotes alone, which is far cheaper than a callback of the parser.
void CheckShape(std::string_view text, const std::string& where) {
  struct Level {
    bool is_object;
    std::size_t commas;
  };
  std::vector<Level> levels;  // objects and lists that are open
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (levels.size() == kDeepest) {
        throw InputError(where, fmt::format("is nested more than {} levels deep", kDeepest));
      }
      levels.push_back({c == '{', 0});
    } else if ((c == '}' || c == ']') && !levels.empty()) {
      levels.pop_back();
    } else if (c == ',' && !levels.empty() && levels.back().is_object) {
      if (++levels.back().commas == kMostMembers) {
        throw InputError(where, fmt::format("has an object of more than {} members", kMostMembers));
      }
    }
  }
}

}  // namespace

std::string FaultOf(const Json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t end = what.starts_with('[') ? what.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

Json ParseJson(std::string_view text, const std::string& where) {
  CheckShape(text, where);
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(where, fmt::format("is not JSON: {}", FaultOf(error)));
  }
}

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string FirstDifference(const Json& there, const Json& wanted, const std::string& key) {
  if (there == wanted) return "";
  if (there.is_object() && wanted.is_object()) {
    const std::string prefix = key.empty() ? "" : key + ".";
    for (const auto& [name, value] : wanted.items()) {
      if (!there.contains(name)) {
        return fmt::format("{}{} is not given there, and {} here", prefix, name, Shown(value));
      }
      std::string difference = FirstDifference(there.at(name), value, prefix + name);
      if (!difference.empty()) return difference;
    }
    for (const auto& [name, value] : there.items()) {
      if (!wanted.contains(name)) {
        return fmt::format("{}{} is {} there, and not given here", prefix, name, Shown(value));
      }
    }
    return fmt::format("{} is in a different order", key.empty() ? "the document" : key);
  }
  const std::string is = Shown(there), should_be = Shown(wanted);
  constexpr std::size_t kLongest = 80;
  if (is.size() > kLongest || should_be.size() > kLongest) return key + " differs";
  return fmt::format("{} is {}, not {}", key, is, should_be);
}

const Json& JsonValue::Object() const {
  if (!value_->is_object()) Fail("expected an object");
  return *value_;
}

std::optional<JsonValue> JsonValue::Find(std::string_view name) const {
  const Json& object = Object();
  const auto field = object.find(name);
  if (field == object.end() || field->is_null()) return std::nullopt;
  return JsonValue(*field, *where_);
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
  if (value_->is_number()) return value_->get<double>();
  if (value_->is_boolean()) return value_->get<bool>() ? 1 : 0;
  Fail(fmt::format("'{}' is {}, not a number", name, Quoted(Text())));
}

std::int64_t JsonValue::AsInteger(std::string_view name) const {
  const bool fits = value_->is_number_unsigned()
                        ? std::in_range<std::int64_t>(value_->get<std::uint64_t>())
                        : value_->is_number_integer();
  if (fits) return value_->get<std::int64_t>();
  Fail(fmt::format("'{}' is {}, not a whole number", name, Quoted(Text())));
}

std::uint64_t JsonValue::AsCount(std::string_view name) const {
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  Fail(fmt::format("'{}' is {}, not a count", name, Quoted(Text())));
}

std::string JsonValue::AsString(std::string_view name) const {
  if (value_->is_string()) return value_->get<std::string>();
  Fail(fmt::format("'{}' is {}, not a string", name, Quoted(Text())));
}

std::vector<JsonValue> JsonValue::Elements(std::string_view name) const {
  if (!value_->is_array()) Fail(fmt::format("'{}' is {}, not a list", name, Quoted(Text())));
  std::vector<JsonValue> values;
  for (const Json& element : *value_) values.emplace_back(element, *where_);
  return values;
}

std::string JsonValue::Text() const {
  return value_->is_string() ? value_->get<std::string>() : Shown(*value_);
}

void JsonValue::Fail(const std::string& what, const std::string& hint) const {
  throw InputError(*where_, what, hint);
}

JsonValue JsonReader::Parse(std::string_view text, const std::string& where) {
  if (text.empty()) throw InputError(where, "is not JSON: it is empty");
  where_ = where;
  document_ = ParseJson(text, where_);
  return JsonValue(document_, where_);
}

JsonValue JsonReader::Read(const std::filesystem::path& file) {
  return Parse(ReadRegularFile(file), file.string());
}

std::string JsonReader::LineOf(const std::string& file, std::size_t line) {
  return FileLine(file, line);
}

namespace {

constexpr std::size_t kDigits = 16;

// The text around a check's digits at the end of a file, and the end of a file without a check.
constexpr std::string_view kBefore = ",\n  \"check\": \"", kAfter = "\"\n}\n", kEnd = "\n}\n";

}  // namespace

std::string CheckOf(std::string_view text) { return Sha256(text).substr(0, kDigits); }

void CheckFormat(const JsonValue& document, std::uint64_t newest) {
  const auto format = document.Find(kFormatMember);
  if (!format) return;
  const std::uint64_t number = format->IsNumber() ? format->AsCount(kFormatMember) : 0;
  if (number >= 1 && number <= newest) return;
  document.Fail(fmt::format("its format is {}, and this program knows formats up to {}",
                            format->Text(), newest),
                number > newest ? "a newer version of flare wrote it" : "");
}

std::string CheckedText(const Json& document) {
  FLARE_CHECK(document.contains(kFormatMember));
  std::string text = JsonText(document);
  const std::string check = CheckOf(text);
  text.resize(text.size() - kEnd.size());
  return fmt::format("{}{}{}{}", text, kBefore, check, kAfter);
}

bool HasRightCheck(std::string_view text) {
  const std::size_t size = kBefore.size() + kDigits + kAfter.size();
  if (text.size() < size) return false;
  const std::string_view rest = text.substr(0, text.size() - size), tail = text.substr(rest.size());
  return tail.starts_with(kBefore) && tail.ends_with(kAfter) &&
         CheckOf(std::string(rest).append(kEnd)) == tail.substr(kBefore.size(), kDigits);
}

void VerifyText(std::string_view text, const JsonValue& document, const std::string& hint) {
  if (document.Find(kCheckMember) && !HasRightCheck(text)) document.Fail(kWrongCheck, hint);
}

const char* Version() { return FLARE_VERSION; }

}  // namespace flare
