// The check that our JSON files carry, so that a wrong bit is noticed: the member "check", the
// first 16 hexadecimal digits of a SHA-256 of the file without it. A user who changes a file on
// purpose takes the member out.

#ifndef FLARE_BASE_INTEGRITY_H_
#define FLARE_BASE_INTEGRITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "flare/base/json.h"

namespace flare {

inline constexpr const char* kCheckMember = "check";
// Every format of ours has a number in its file, so that a newer one is refused by name. A file
// without one is of version 0.2, whose formats all count as 1.
inline constexpr const char* kFormatMember = "format";

// The check of a whole text.
std::string CheckOf(std::string_view text);

// Throws InputError unless the format of a document is one of 1 to `newest`.
void CheckFormat(const JsonValue& document, std::uint64_t newest);

// A document as the text of its file, with a last member "check": of the text without it. Requires:
// it has the number of its format.
std::string CheckedText(const Json& document);
// Does the text end with a check, and is it right?
bool HasRightCheck(std::string_view text);
// Throws InputError if the document has a check and it is wrong. `text` is what it was read from,
// and the hint says what to do.
void VerifyText(std::string_view text, const JsonValue& document, const std::string& hint);
// Error message for a check that is wrong.
inline constexpr const char* kWrongCheck =
    "its check is wrong: the file was damaged, or changed by hand";

}  // namespace flare

#endif  // FLARE_BASE_INTEGRITY_H_
