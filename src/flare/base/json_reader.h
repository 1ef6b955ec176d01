// Reads JSON that this program wrote, field by field: every fault is an InputError that names the
// file and the field. (Json of json.h is for writing, and for documents of any shape.)
//
//   JsonReader reader;
//   const JsonValue result = reader.Read(run / "result.json");
//   const double seconds = result.Number("seconds");

#ifndef FLARE_BASE_JSON_READER_H_
#define FLARE_BASE_JSON_READER_H_

#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flare {

// Stands for a null that a file has in place of a number.
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// A value and where it is, for messages. Cheap: document and place are borrowed from the
// reader, until it reads the next document.
class JsonValue {
 public:
  JsonValue(simdjson::dom::element element, const std::string& where)
      : element_(element), where_(&where) {}

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
  bool IsNull() const { return element_.is_null(); }
  bool IsObject() const { return element_.is_object(); }
  bool IsArray() const { return element_.is_array(); }
  bool IsNumber() const { return element_.is_number(); }
  bool IsString() const { return element_.is_string(); }

  // Calls visit(name, value) for every field, in their order; values may be null.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [name, field] : Object()) visit(name, JsonValue(field, *where_));
  }

  const std::string& where() const { return *where_; }
  // Throws InputError.
  [[noreturn]] void Fail(const std::string& what, const std::string& hint = "") const;

 private:
  simdjson::dom::object Object() const;

  simdjson::dom::element element_;
  const std::string* where_;
};

// Reuses its buffers, so keep one for many files. Not thread-safe.
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

  simdjson::dom::parser parser_;
  std::string where_;
};

}  // namespace flare

#endif  // FLARE_BASE_JSON_READER_H_
