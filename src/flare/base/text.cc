#include "flare/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "flare/base/error.h"

namespace flare {
namespace {

unsigned Byte(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

std::size_t Utf8Length(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Characters that a reader would not see, or that move what they see: control characters,
// zero-width ones, those that change the direction of writing, the byte order mark.
bool IsInvisible(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

// The character at `i`, or its first byte as \xNN; `i` moves past it.
std::string VisibleAt(std::string_view text, std::size_t& i, std::string_view kept) {
  const auto character = Utf8CharacterAt(text, i);
  const bool is_kept = kept.find(text[i]) != std::string_view::npos;
  if (character && (is_kept || !IsInvisible(CodePoint(*character)))) {
    i += character->size();
    return std::string(*character);
  }
  return fmt::format("\\x{:02x}", Byte(text, i++));
}

// The Levenshtein distance, except that swapping two neighbours counts once, not twice.
std::size_t Slips(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> Utf8CharacterAt(std::string_view text, std::size_t position) {
  const std::size_t length = Utf8Length(Byte(text, position));
  if (length == 0 || position + length > text.size()) return std::nullopt;
  for (std::size_t i = 1; i < length; ++i) {
    if ((Byte(text, position + i) & 0xC0) != 0x80) return std::nullopt;
  }
  const std::string_view character = text.substr(position, length);
  const char32_t code = CodePoint(character);
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (overlong || surrogate || code > 0x10FFFF) return std::nullopt;
  return character;
}

char32_t CodePoint(std::string_view character) {
  const unsigned lead = Byte(character, 0);
  const std::size_t length = Utf8Length(lead);
  FLARE_CHECK(length == character.size());
  if (length == 1) return lead;
  char32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = (code << 6) | (Byte(character, i) & 0x3F);
  return code;
}

std::string ToUtf8(char32_t code) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  const auto tail = [&](int shift) { return byte(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {byte(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {byte(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    // Strip the CR of CRLF line endings.
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> nearest;
  // Short words are near to everything.
  const std::size_t most = word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3);
  std::size_t least = most + 1;
  const std::string lower = LowerCase(word);
  for (const std::string& candidate : candidates) {
    // A part of the name, of at least three characters, is as good as one slip.
    const bool part = lower.size() >= 3 && LowerCase(candidate).find(lower) != std::string::npos;
    const std::size_t distance = part ? 1 : Slips(lower, LowerCase(candidate));
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string InCapitals(std::string text) {
  for (char& c : text) {
    if ('a' <= c && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out = "'";
  std::size_t i = 0;
  while (i < text.size() && i < kLongest) out += VisibleAt(text, i, "");
  if (i < text.size()) out += "...";
  return out + "'";
}

std::string Visible(std::string_view text, std::string_view kept) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) out += VisibleAt(text, i, kept);
  return out;
}

std::string Listed(std::span<const std::string> items, std::string_view conjunction) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 < items.size() ? ", " : fmt::format(" {} ", conjunction);
    text += items[i];
  }
  return text;
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void ExpectOneOf(std::span<const std::string> words, const std::string& word,
                 const std::string& where) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const auto nearest = Nearest(word, words);
  throw InputError(where, fmt::format("{} is not one of {}", Quoted(word), fmt::join(words, ", ")),
                   nearest ? fmt::format("did you mean {}?", *nearest) : "");
}

std::string ShellQuoted(const std::string& word) {
  const auto is_plain = [](char c) {
    constexpr std::string_view kOthers = "-_./=,:@%+";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace flare
