// The answer to one question about a language: does it belong to a class?

#ifndef FLARE_CLASSES_PROPERTY_H_
#define FLARE_CLASSES_PROPERTY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "flare/classes/witness.h"

namespace flare::algebra {

struct Property {
  std::optional<bool> holds;
  // Where the class is a union over k and `holds` is true: the smallest, if it is known.
  std::optional<std::size_t> k = {};
  // Why not, or why no smaller k.
  std::optional<Witness> witness = {};
  // The limit that was met, if `holds` or `k` is not known.
  std::string limit = {};

  static Property Yes() { return {.holds = true}; }
  static Property Yes(std::size_t k) { return {.holds = true, .k = k}; }
  static Property Yes(std::size_t k, Witness reason) {
    return {.holds = true, .k = k, .witness = std::move(reason)};
  }
  static Property No(Witness witness) { return {.holds = false, .witness = std::move(witness)}; }
  static Property Unknown(std::string limit) { return {.holds = {}, .limit = std::move(limit)}; }
};

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_PROPERTY_H_
