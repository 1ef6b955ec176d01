// The names that the rest of the program knows, as a value that callers pass in: this room reads
// and writes them, and leaves what they mean to others.

#ifndef FLARE_RUNS_NAMES_H_
#define FLARE_RUNS_NAMES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/option.h"

namespace flare {

struct Names {
  struct Architecture {
    std::string name;
    std::string arithmetic;  // the version that last changed the bits of its results
    std::vector<Option> options;
    bool is_external = false;  // another program trains it (external.h)
  };
  // An auxiliary term of the loss. Its weight is the setting NAME_coefficient; what is measured of
  // it is called KEY_loss and KEY_cross_entropy.
  struct LossTerm {
    std::string name;  // as in rec+NAME
    std::string key;
    std::string help;
    // Further figures that evaluation gives, as "accuracy.positions" for
    // KEY_accuracy: {positions: ...}.
    std::vector<std::string> figures;
    bool in_all_files = false;  // are null figures written where the loss does not have it?
  };

  // An optimizer or a schedule. Of the settings that some of them have, it reads these.
  struct Part {
    std::string name;
    std::string help;
    std::vector<std::string> settings;
  };

  std::vector<Architecture> architectures;
  std::vector<LossTerm> loss_terms;
  std::vector<Part> optimizers, schedules;
  std::vector<std::string> targets;
  std::map<std::string, std::vector<std::string>> language_sets;  // "paper", "all"
  // The names that a grid's {atlas = K} stands for. Throws InputError with `where`.
  std::vector<std::string> (*atlas)(std::size_t states, const std::string& where) = nullptr;
  std::vector<std::string> language_sources;  // prefixes: "regex:", ...

  // Null if there is none of that name.
  const Architecture* FindArchitecture(std::string_view name) const;
  const LossTerm* FindLossTerm(std::string_view name) const;
};

}  // namespace flare

#endif  // FLARE_RUNS_NAMES_H_
