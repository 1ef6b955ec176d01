#include "flare/base/integrity.h"

#include <fmt/format.h>

#include <cstddef>

#include "flare/base/sha256.h"

namespace flare {
namespace {

constexpr std::size_t kDigits = 16;

// What stands around the digits at the end of a text, and what would stand there without a check.
constexpr std::string_view kBefore = ",\n  \"check\": \"", kAfter = "\"\n}\n", kEnd = "\n}\n";

}  // namespace

std::string CheckOf(std::string_view text) { return Sha256(text).substr(0, kDigits); }

std::string CheckedText(const Json& document) {
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

}  // namespace flare
