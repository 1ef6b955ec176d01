// The check that our JSON files carry, so that a wrong bit is noticed: the member "check", the
// first 16 hexadecimal digits of a SHA-256. Files of version 0.1 have none, and are read without.

#ifndef FLARE_BASE_INTEGRITY_H_
#define FLARE_BASE_INTEGRITY_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "flare/base/json.h"
#include "flare/base/json_reader.h"
#include "flare/base/sha256.h"

namespace flare {

inline constexpr const char* kCheckMember = "check";

// The check of a whole text.
std::string CheckOf(std::string_view text);

// A document as the text of its file, with a last member "check": of the text without it.
std::string CheckedText(const Json& document);
// Does the text end with a check, and is it right?
bool HasRightCheck(std::string_view text);
// Throws InputError if the document has a check and it is wrong. `text` is what it was read from,
// and the hint says what to do.
void VerifyText(std::string_view text, const JsonValue& document, const std::string& hint);
// What is then said.
inline constexpr const char* kWrongCheck =
    "its check is wrong: the file was damaged, or changed by hand";

// May this be a file that its writer began with `beginning`, also after a crash? That may have cut
// it off, and have left zeros in place of what never reached the disk.
bool MayHaveBegunWith(std::string_view beginning, std::string_view text);

// Lines of JSON, each with a last member "check": of all lines before it, and of this one without
// it. So a line that is changed, lost, doubled or moved is noticed by the ones after it.
class CheckedLines {
 public:
  // The next line, with its check and its newline.
  std::string Next(const Json& line);
  // Continues after the lines in `text`. Throws InputError for the first whose check is wrong, or
  // missing after lines that have one. A last line without a newline is not looked at.
  void Verify(std::string_view text, const std::string& file, const std::string& hint);

 private:
  Sha256Stream before_;
};

}  // namespace flare

#endif  // FLARE_BASE_INTEGRITY_H_
