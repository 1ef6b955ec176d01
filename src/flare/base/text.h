// Small questions about text that readers and error messages share.

#ifndef FLARE_BASE_TEXT_H_
#define FLARE_BASE_TEXT_H_

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace flare {

// Decodes the UTF-8 character that starts at `position`: its text, or nothing if the bytes there
// are not UTF-8 (overlong forms, surrogates and values above U+10FFFF are not).
std::optional<std::string_view> Utf8CharacterAt(std::string_view text, std::size_t position);

// The code point of one UTF-8 character. Requires: `character` came from Utf8CharacterAt.
char32_t CodePoint(std::string_view character);

// The reverse. Requires: a valid code point.
std::string ToUtf8(char32_t code_point);

// The lines of a text; a last line without a newline counts, an empty rest after one does not.
std::vector<std::string_view> Lines(std::string_view text);

// The candidate with the least Levenshtein distance to `word` (the first of several), if it is near
// enough to be a likely typo; used for "did you mean".
std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> candidates);

// Throws InputError, with the nearest of them, unless `word` is one of `words`.
void ExpectOneOf(std::span<const std::string> words, const std::string& word,
                 const std::string& where);

// `text` in quotes, cut to a readable length, with control characters and invalid bytes as \xNN:
// how error messages show what they found.
std::string Quoted(std::string_view text);

// The letters of ASCII in capitals, others as they are.
std::string InCapitals(std::string text);

// "a", "a or b", "a, b or c".
std::string Listed(std::span<const std::string> items, std::string_view conjunction);

// "1 run", "2 runs".
std::string Counted(std::size_t count, std::string_view noun);

// A number as text, which must be all of it: no sign before a count, no space, nothing after.
// Nothing if the text is not a number or does not fit. Locale does not matter.
template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `text` with what a terminal would obey or hide (control characters, invalid bytes, marks that
// change the direction of writing) as \xNN, except for the characters of `kept`.
std::string Visible(std::string_view text, std::string_view kept = "");

// A word of a command line that a shell reads as it is: in quotes, unless it has only characters
// that need none.
std::string ShellQuoted(const std::string& word);

}  // namespace flare

#endif  // FLARE_BASE_TEXT_H_
