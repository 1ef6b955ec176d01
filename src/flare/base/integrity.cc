#include "flare/base/integrity.h"

#include <fmt/format.h>

#include <cstddef>

#include "flare/base/check.h"
#include "flare/base/sha256.h"

namespace flare {
namespace {

constexpr std::size_t kDigits = 16;

// What stands around the digits at the end of a text, and what would stand there without a check.
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

}  // namespace flare
