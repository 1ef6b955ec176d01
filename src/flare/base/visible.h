// Text that may hold anything, for people to read: names of files and hosts.

#ifndef FLARE_BASE_VISIBLE_H_
#define FLARE_BASE_VISIBLE_H_

#include <string>
#include <string_view>

namespace flare {

// `text` with what a terminal would obey or hide (control characters, invalid bytes, marks that
// change the direction of writing) as \xNN, except for the characters of `kept`.
std::string Visible(std::string_view text, std::string_view kept = "");

}  // namespace flare

#endif  // FLARE_BASE_VISIBLE_H_
