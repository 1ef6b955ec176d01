#include "flare/automata/alphabet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

// Above this many symbols an error message does not list them.
constexpr std::size_t kMostNames = 20;

std::string Listed(const std::vector<std::string>& names) {
  if (names.size() > kMostNames) return fmt::format("one of {} symbols", names.size());
  return fmt::format("one of: {}", fmt::join(names, " "));
}

// True if `token` is several symbols written without the spaces between them.
bool IsRunTogether(const Alphabet& alphabet, std::string_view token) {
  std::size_t position = 0;
  while (position < token.size()) {
    const auto character = Utf8CharacterAt(token, position);
    if (!character || !alphabet.Find(*character)) return false;
    position += character->size();
  }
  return true;
}

}  // namespace

void CheckSymbolName(std::string_view name, const std::string& where) {
  if (name.empty()) throw InputError(where, "a symbol name is empty");
  for (std::size_t i = 0; i < name.size();) {
    const auto character = Utf8CharacterAt(name, i);
    if (!character) throw InputError(where, fmt::format("symbol {} is not UTF-8", Quoted(name)));
    const char32_t code = CodePoint(*character);
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const bool space = code == 0x20 || code == 0xA0 || code == 0x1680 ||
                       (code >= 0x2000 && code <= 0x200B) || code == 0x2028 || code == 0x2029 ||
                       code == 0x202F || code == 0x205F || code == 0x3000 || code == 0xFEFF;
    if (control || space) {
      throw InputError(
          where, fmt::format("symbol {} holds white space or a control character", Quoted(name)));
    }
    i += character->size();
  }
}

Alphabet::Alphabet(std::vector<std::string> names) : names_(std::move(names)) {
  for (const std::string& name : names_) CheckSymbolName(name, "alphabet");
  // Byte order of UTF-8 is code point order.
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  by_byte_.fill(-1);
  by_name_.reserve(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    by_name_.emplace(names_[i], SymbolAt(i));
    if (names_[i].size() == 1) {
      by_byte_[static_cast<unsigned char>(names_[i][0])] = static_cast<std::int32_t>(i);
    }
  }
}

std::optional<Symbol> Alphabet::Find(std::string_view name) const {
  if (name.size() == 1) {
    const std::int32_t index = by_byte_[static_cast<unsigned char>(name[0])];
    if (index < 0) return std::nullopt;
    return SymbolAt(static_cast<std::size_t>(index));
  }
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

Symbol Alphabet::At(std::string_view name) const {
  const auto found = Find(name);
  FLARE_CHECK(found.has_value());
  return *found;
}

String Alphabet::Parse(std::string_view line, const std::function<std::string()>& where) const {
  String w;
  if (line.empty()) return w;
  w.reserve(line.size() / 2 + 1);
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view token = line.substr(begin, end - begin);
    const auto symbol = Find(token);
    if (!symbol) {
      if (token.empty()) {
        throw InputError(where(), "stray space; symbols are separated by single spaces");
      }
      std::string hint = "expected " + Listed(names_);
      if (IsRunTogether(*this, token)) hint = "separate the symbols by spaces";
      throw InputError(where(), fmt::format("unknown symbol {}", Quoted(token)), hint);
    }
    w.push_back(*symbol);
    if (end == line.size()) return w;
    begin = end + 1;
  }
}

std::string Alphabet::Format(StringView w) const {
  std::string line;
  for (const Symbol a : w) {
    if (!line.empty()) line += ' ';
    line += Name(a);
  }
  return line;
}

}  // namespace flare
