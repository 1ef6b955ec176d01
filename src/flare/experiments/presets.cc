#include "flare/experiments/presets.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/training/known_names.h"

namespace flare {

Grid PresetGrid(const std::string& name) {
  const auto text = PresetFile(name + ".toml");
  if (!text) {
    throw InputError("--preset", fmt::format("there is no {}", Quoted(name)),
                     "expected paper, paper-mini, model-size or demo");
  }
  return ParseGrid(*text, name + ".toml", KnownNames());
}

}  // namespace flare
