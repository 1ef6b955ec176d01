#include "flare/data/next_symbols_json.h"

#include <fmt/format.h>

#include <iterator>

#include "flare/base/text.h"
#include "flare/data/next_symbols_limit.h"

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

const std::string& NextSymbolsFormatter::Text(const NextSymbolSets& sets, std::size_t t) {
  const auto words = sets.Words(t);
  Slot* slot = nullptr;
  if (words.size() == 1) {
    slot = &slots_[(words[0] * 0x9e3779b97f4a7c15u) >> 56];
    if (slot->text != nullptr && slot->word == words[0]) return *slot->text;
  }
  const auto [entry, is_new] = texts_.try_emplace({words.begin(), words.end()});
  std::string& text = entry->second;
  if (is_new) {
    text = "{\"s\":\"";
    const char* separator = "";
    for (std::size_t a = 0; a < alphabet_.size(); ++a) {
      if (!sets.Contains(t, SymbolAt(a))) continue;
      text += separator;
      separator = " ";
      AppendEscaped(alphabet_.Name(SymbolAt(a)), text);
    }
    text += sets.ContainsEos(t) ? "\",\"e\":true}" : "\",\"e\":false}";
  }
  if (slot != nullptr) *slot = {words[0], &text};
  return text;
}

void NextSymbolsFormatter::CheckSize(std::size_t size) const {
  if (size <= largest_text_) return;
  throw NextSymbolsTooLarge(
      "", fmt::format("the next-symbol sets take more than {} MB as text", largest_text_ >> 20));
}

std::size_t NextSymbolsFormatter::Size(const NextSymbolSets& sets) {
  std::size_t size = 0;
  for (std::size_t t = 0; t < sets.size(); ++t) {
    size += Text(sets, t).size();
    CheckSize(size);
  }
  return size;
}

void NextSymbolsFormatter::AppendLine(const NextSymbolSets& sets, std::size_t first,
                                      std::size_t count, std::string& out) {
  out += '[';
  for (std::size_t t = first; t < first + count; ++t) {
    if (t != first) out += ',';
    const std::string& text = Text(sets, t);
    CheckSize(out.size() + text.size());
    out += text;
  }
  out += ']';
}

}  // namespace flare
