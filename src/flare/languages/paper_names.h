// The names of the paper's languages belong to them: whatever has one of them is compared with the
// paper's values.

#ifndef FLARE_LANGUAGES_PAPER_NAMES_H_
#define FLARE_LANGUAGES_PAPER_NAMES_H_

#include <string>

#include "flare/languages/named_language.h"

namespace flare {

// Throws InputError with `where` if `name` is one of the paper's and the language is a different
// one, or cannot be shown to be the same: that is decided for regular languages.
void CheckPaperName(const std::string& name, const NamedLanguage& language,
                    const std::string& where);

}  // namespace flare

#endif  // FLARE_LANGUAGES_PAPER_NAMES_H_
