// An architecture that another program trains: what a grid and a run say about it.
//
//   {name = "my-cnn", command = ["python3", "-m", "flarelang.external", "my_models:CNN"], width =
//   8}
//
// Besides the settings of all runs it has options of its own, which only its program understands.
// docs/reference/external-programs.md describes what the program is given and what it leaves.

#ifndef FLARE_RUNS_EXTERNAL_H_
#define FLARE_RUNS_EXTERNAL_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/json.h"

namespace flare {

// The arithmetic that such runs record, since nothing is promised about their bits.
inline constexpr const char* kExternalArithmetic = "external";

struct External {
  std::string name;                  // the architecture's name
  std::vector<std::string> command;  // the program and its arguments
  std::vector<std::string> options;  // the names of its options
  // In a run: the files that the command names, with their SHA-256. 0.2 did not record them.
  std::map<std::string, std::string> files = {};

  bool operator==(const External&) const = default;
};

// Throws InputError: a name that cannot be a directory's or is known already, no command, an option
// that is a setting of all runs.
void CheckExternal(const External& external, const std::string& where);

// Null if none has the name.
const External* FindExternal(const std::vector<External>& externals, std::string_view name);

// Is its training that of flarelang, fl.fit or python3 -m flarelang.external, which reads every
// setting of a recipe?
bool FollowsRecipes(const External& external);

// Whatever can be part of a directory's name. Throws InputError.
std::string ExternalOptionValue(const std::string& text, const std::string& where);

Json ExternalToJson(const External& external);
// Throws InputError.
External ExternalFromJson(const std::string& name, const JsonValue& json);

}  // namespace flare

#endif  // FLARE_RUNS_EXTERNAL_H_
