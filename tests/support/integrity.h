#ifndef FLARE_TESTS_SUPPORT_INTEGRITY_H_
#define FLARE_TESTS_SUPPORT_INTEGRITY_H_

#include <cstddef>
#include <string>

#include "flare/base/json.h"

namespace flare {

// Calls visit(text, bit) for the text with one of its bits wrong: every fifth in turn, so that all
// bytes and all places in a byte come in. (All of them take a minute, and were tried, too.)
template <class Visit>
void ForEachFlip(const std::string& text, Visit visit) {
  for (std::size_t bit = 0; bit < 8 * text.size(); bit += 5) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    visit(flipped, bit);
  }
}

// The text of a document as somebody leaves it who is going to change it by hand.
inline std::string WithoutCheck(const std::string& text) {
  Json document = Json::parse(text);
  document.erase(kCheckMember);
  return JsonText(document);
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_INTEGRITY_H_
