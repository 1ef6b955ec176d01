#include "flare/languages/language.h"

#include <fmt/format.h>

#include "flare/base/error.h"

namespace flare {

std::string ShortName(LanguageClass c) {
  switch (c) {
    case LanguageClass::kRegular:
      return "R";
    case LanguageClass::kDeterministicContextFree:
      return "DCF";
    case LanguageClass::kContextFree:
      return "CF";
    case LanguageClass::kContextSensitive:
      return "CS";
    case LanguageClass::kUnknown:
      return "?";
  }
  __builtin_unreachable();
}

std::string LongName(LanguageClass c) {
  switch (c) {
    case LanguageClass::kRegular:
      return "regular";
    case LanguageClass::kDeterministicContextFree:
      return "deterministic context-free";
    case LanguageClass::kContextFree:
      return "context-free";
    case LanguageClass::kContextSensitive:
      return "context-sensitive";
    case LanguageClass::kUnknown:
      return "of unknown class";
  }
  __builtin_unreachable();
}

void ThrowNoMember(LengthRange range) {
  throw InputError("", fmt::format("the language has no string with a length in [{}, {}]",
                                   range.min, range.max));
}

}  // namespace flare
