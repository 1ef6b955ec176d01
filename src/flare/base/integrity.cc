#include "flare/base/integrity.h"

#include <fmt/format.h>

#include <optional>

#include "flare/base/error.h"

namespace flare {
namespace {

constexpr std::size_t kDigits = 16;

// The parts of a text that ends with a check: before + digits + after.
struct Tail {
  std::string_view before, after;
};
constexpr Tail kDocument{",\n  \"check\": \"", "\"\n}\n"}, kLine{",\"check\":\"", "\"}"};

struct Split {
  std::string without;  // the text as it was before the check was added
  std::string_view check;
};

// Nothing if the text does not end that way.
std::optional<Split> SplitOff(std::string_view text, const Tail& tail, std::string_view end) {
  const std::size_t size = tail.before.size() + kDigits + tail.after.size();
  if (text.size() < size) return std::nullopt;
  const std::string_view last = text.substr(text.size() - size);
  if (!last.starts_with(tail.before) || !last.ends_with(tail.after)) return std::nullopt;
  Split split{std::string(text.substr(0, text.size() - size)),
              last.substr(tail.before.size(), kDigits)};
  split.without += end;
  return split;
}

constexpr std::string_view kDocumentEnd = "\n}\n", kLineEnd = "}";

}  // namespace

std::string CheckOf(std::string_view text) { return Sha256(text).substr(0, kDigits); }

std::string CheckedText(const Json& document) {
  std::string text = JsonText(document);
  const std::string check = CheckOf(text);
  text.resize(text.size() - kDocumentEnd.size());
  return fmt::format("{}{}{}{}", text, kDocument.before, check, kDocument.after);
}

bool HasRightCheck(std::string_view text) {
  const auto split = SplitOff(text, kDocument, kDocumentEnd);
  return split && CheckOf(split->without) == split->check;
}

void VerifyText(std::string_view text, const JsonValue& document, const std::string& hint) {
  if (document.Find(kCheckMember) && !HasRightCheck(text)) document.Fail(kWrongCheck, hint);
}

bool MayHaveBegunWith(std::string_view beginning, std::string_view text) {
  // Of nothing but zeros, nothing is left: npos + 1 is 0.
  const std::string_view written = text.substr(0, text.find_last_not_of('\0') + 1);
  return written.starts_with(beginning) || beginning.starts_with(written);
}

std::string CheckedLines::Next(const Json& line) {
  std::string text = line.dump();
  const std::string check = before_.HexWith(text).substr(0, kDigits);
  text.resize(text.size() - kLineEnd.size());
  text += fmt::format("{}{}{}\n", kLine.before, check, kLine.after);
  before_.Add(text);
  return text;
}

void CheckedLines::Verify(std::string_view text, const std::string& file, const std::string& hint) {
  bool checked = false;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return;
    const std::string_view line = text.substr(begin, end - begin);
    const auto split = SplitOff(line, kLine, kLineEnd);
    ++number;
    if ((checked && !split) ||
        (split && before_.HexWith(split->without).substr(0, kDigits) != split->check)) {
      throw InputError(FileLine(file, number),
                       "its check is wrong: this line or one before it was damaged", hint);
    }
    checked |= split.has_value();
    before_.Add(text.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
}

}  // namespace flare
