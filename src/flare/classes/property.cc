#include "flare/classes/property.h"

#include <algorithm>

#include "flare/base/error.h"

namespace flare::classes {

WitnessMaker& WitnessMaker::Add(char name, const Word& word) {
  words_.emplace_back(name, word);
  witness_.words.emplace_back(name, automaton_.Spell(word));
  return *this;
}

WitnessMaker& WitnessMaker::Move(const std::string& expression, State q) {
  State to = q;
  for (const char name : expression) {
    const auto found = std::find_if(words_.begin(), words_.end(),
                                    [&](const auto& word) { return word.first == name; });
    FLARE_CHECK(found != words_.end());
    to = automaton_.Run(to, found->second);
  }
  witness_.moves.push_back({expression, StateAt(q), StateAt(to)});
  return *this;
}

}  // namespace flare::classes
