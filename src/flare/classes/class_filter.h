// Which classes a language is to belong to: "star_free,!r_trivial".

#ifndef FLARE_CLASSES_CLASS_FILTER_H_
#define FLARE_CLASSES_CLASS_FILTER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/classes/classification.h"

namespace flare::algebra {

struct ClassCondition {
  std::string key;  // of PropertyKeys()
  bool holds;
};
using ClassFilter = std::vector<ClassCondition>;

// Keys separated by commas, each perhaps after `!`. Throws InputError with `where` and the nearest
// key.
ClassFilter ParseClassFilter(std::string_view text, const std::string& where);

// False if a condition is known to fail; nothing if none is, but some class is unknown.
std::optional<bool> Satisfies(const Classification& classification, const ClassFilter& filter);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_CLASS_FILTER_H_
