#include "flare/data/next_symbols_json.h"

#include <fmt/format.h>

#include <iterator>

#include "flare/base/text.h"

namespace flare {
namespace {

void AppendEscaped(const std::string& name, std::string& out) {
  for (std::size_t i = 0; i < name.size();) {
    // Names of an alphabet are valid UTF-8 without control characters.
    const std::string_view character = *Utf8CharacterAt(name, i);
    i += character.size();
    const char32_t code = CodePoint(character);
    if (code < 0x80) {
      if (code == '"' || code == '\\') out += '\\';
      out += character;
    } else if (code < 0x10000) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(code));
    } else {
      const unsigned offset = static_cast<unsigned>(code) - 0x10000;
      fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10),
                     0xDC00 + (offset & 0x3FF));
    }
  }
}

}  // namespace

void AppendNextSymbolsJson(const Alphabet& alphabet, const NextSymbolSets& sets, std::string& out) {
  out += '[';
  for (std::size_t t = 0; t < sets.size(); ++t) {
    out += t == 0 ? "{\"s\":\"" : ",{\"s\":\"";
    bool first = true;
    for (std::size_t a = 0; a < alphabet.size(); ++a) {
      if (!sets.Contains(t, SymbolAt(a))) continue;
      if (!first) out += ' ';
      first = false;
      AppendEscaped(alphabet.Name(SymbolAt(a)), out);
    }
    out += sets.ContainsEos(t) ? "\",\"e\":true}" : "\",\"e\":false}";
  }
  out += ']';
}

}  // namespace flare
