// JSON documents, which keep the order of their keys: Json to write them, or to read documents of
// any shape, and JsonValue to read our own files field by field.

#ifndef FLARE_BASE_JSON_H_
#define FLARE_BASE_JSON_H_

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace flare {

using Json = nlohmann::ordered_json;

// Reads a document. Throws InputError with `where` if it is not JSON, or if it is nested more than
// 100 levels deep (copying, comparing and writing a document recurse) or has an object of more than
// 10,000 members (finding one looks at all of them).
Json ParseJson(std::string_view text, const std::string& where);

// The document as text, with a newline at its end. Bytes that are not UTF-8 (of a file's name, say)
// become the replacement character: a report must not fail over them.
std::string JsonText(const Json& json);

// The whole number that a value is. nlohmann's own conversion takes 1.5 for 1, -1 for 2^64-1 and
// 1e300 for anything. Throws Json::exception.
template <std::integral T>
T Whole(const Json& value) {
  const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<std::uint64_t>())
                    : value.is_number_integer() ? std::in_range<T>(value.get<std::int64_t>())
                                                : false;
  if (!fits) {
    throw Json::type_error::create(302, "expected a whole number within its range", &value);
  }
  return value.get<T>();
}

// Does the same for a list.
template <std::integral T>
std::vector<T> Wholes(const Json& list) {
  if (!list.is_array()) throw Json::type_error::create(302, "expected a list of numbers", &list);
  std::vector<T> numbers;
  for (const Json& value : list) numbers.push_back(Whole<T>(value));
  return numbers;
}

// The value, or null.
template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Returns a member; nothing if it is missing or of another type than T.
template <class T>
std::optional<T> Member(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string()) return std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    try {
      return Whole<T>(*found);
    } catch (const Json::exception&) {
      return std::nullopt;
    }
  } else {
    if (!found->is_number()) return std::nullopt;
  }
  return found->template get<T>();
}

// "a.b is 1, not 2" for the first leaf in which two documents differ; empty if they do not. `key`
// is their place in a larger document.
std::string FirstDifference(const Json& there, const Json& wanted, const std::string& key = "");

// Stands for a null that a file has in place of a number.
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// A value of a document that this program wrote, and where it is: every fault is an InputError that
// names the file and the field. It borrows both the document and the place.
//
//   JsonReader reader;
//   const JsonValue result = reader.Read(run / "result.json");
//   const double seconds = result.Number("seconds");
class JsonValue {
 public:
  JsonValue(const Json& value, const std::string& where) : value_(&value), where_(&where) {}

  // The field, or nothing if it is absent or null.
  std::optional<JsonValue> Find(std::string_view name) const;
  // Requires the field, as does everything below that cannot say that it is absent.
  JsonValue At(std::string_view name) const;

  double Number(std::string_view name) const { return At(name).AsNumber(name); }
  double NumberOr(std::string_view name, double otherwise) const;
  std::optional<double> MaybeNumber(std::string_view name) const;
  std::uint64_t Count(std::string_view name) const { return At(name).AsCount(name); }
  std::uint64_t CountOr(std::string_view name, std::uint64_t otherwise) const;
  std::optional<std::uint64_t> MaybeCount(std::string_view name) const;
  std::string String(std::string_view name) const { return At(name).AsString(name); }
  std::string StringOr(std::string_view name, const std::string& otherwise) const;
  bool Truth(std::string_view name) const;  // false if it is not there
  std::vector<JsonValue> Array(std::string_view name) const { return At(name).Elements(name); }
  std::vector<std::string> Strings(std::string_view name) const;

  // The value itself; `name` is for messages.
  double AsNumber(std::string_view name) const;
  std::int64_t AsInteger(std::string_view name) const;
  std::uint64_t AsCount(std::string_view name) const;
  std::string AsString(std::string_view name) const;
  std::vector<JsonValue> Elements(std::string_view name) const;
  // A string without its quotes, anything else as JSON writes it.
  std::string Text() const;
  bool IsNull() const { return value_->is_null(); }
  bool IsObject() const { return value_->is_object(); }
  bool IsNumber() const { return value_->is_number(); }

  // Calls visit(name, value) for every field, in their order; values may be null.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [name, field] : Object().items()) {
      visit(std::string_view(name), JsonValue(field, *where_));
    }
  }

  const Json& document() const { return *value_; }
  const std::string& where() const { return *where_; }
  // Throws InputError.
  [[noreturn]] void Fail(const std::string& what, const std::string& hint = "") const;

 private:
  const Json& Object() const;

  const Json* value_;
  const std::string* where_;
};

// Keeps the document that it read last, for the values that borrow from it.
class JsonReader {
 public:
  // Throws InputError if the text is not JSON.
  JsonValue Parse(std::string_view text, const std::string& where);
  JsonValue Read(const std::filesystem::path& file);

  // Calls visit(value, index) for every complete line of a JSONL file. A last line without a
  // newline is being written, or was when its writer died, and is not read.
  template <class Visit>
  void ForEachLine(std::string_view text, const std::string& file, Visit visit) {
    std::size_t index = 0;
    for (std::size_t begin = 0; begin < text.size(); ++index) {
      const std::size_t end = text.find('\n', begin);
      if (end == std::string_view::npos) break;
      visit(Parse(text.substr(begin, end - begin), LineOf(file, index + 1)), index);
      begin = end + 1;
    }
  }

 private:
  static std::string LineOf(const std::string& file, std::size_t line);

  Json document_;
  std::string where_;
};

// Returns the library's message, without its error number.
std::string FaultOf(const Json::exception& error);

// The check that our JSON files carry, so that a wrong bit is noticed: the member "check", the
// first 16 hexadecimal digits of a SHA-256 of the file without it. A user who changes a file on
// purpose takes the member out.
inline constexpr const char* kCheckMember = "check";
// Every format of ours has a number in its file, so that a newer one is refused by name. A file
// without one is of version 0.2, whose formats all count as 1.
inline constexpr const char* kFormatMember = "format";

// The check of a whole text.
std::string CheckOf(std::string_view text);

// Throws InputError unless the format of a document is one of 1 to `newest`.
void CheckFormat(const JsonValue& document, std::uint64_t newest);

// Returns the text of a document's file. Its last member, "check", is a hash of the text without
// it. Requires: the document has the number of its format.
std::string CheckedText(const Json& document);
// Does the text end with a check, and is it right?
bool HasRightCheck(std::string_view text);
// Throws InputError if the document has a check and it is wrong. `text` is what it was read from,
// and the hint says what to do.
void VerifyText(std::string_view text, const JsonValue& document, const std::string& hint);
// Error message for a check that is wrong.
inline constexpr const char* kWrongCheck =
    "its check is wrong: the file was damaged, or changed by hand";

// The version of the program, which everything that it writes records.
const char* Version();

}  // namespace flare

#endif  // FLARE_BASE_JSON_H_
