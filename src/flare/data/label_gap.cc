#include "flare/data/label_gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"

namespace flare {

std::string LabelGap(const Language& language, const std::vector<std::string>& splits,
                     const DatasetFileReader& read) {
  bool has_labels = false;
  for (const std::string& split : splits) {
    const auto strings = read(SplitPath(split) / kMainFile);
    const auto labels = read(SplitPath(split) / kLabelsFile);
    if (!strings || !labels) continue;
    const auto lines = Lines(*strings), answers = Lines(*labels);
    for (std::size_t i = 0; i < std::min(lines.size(), answers.size()); ++i) {
      try {
        const bool member = language.Contains(language.alphabet().Parse(lines[i], ""));
        if (member == (answers[i] == "1")) continue;
      } catch (const InputError&) {
        // A symbol that the language does not have.
      }
      return fmt::format("{} labels {} with {}", split, Quoted(lines[i]), answers[i]);
    }
    has_labels |= !lines.empty() && lines.size() == answers.size();
  }
  return has_labels ? "" : "it has no labels that say what its language is";
}

}  // namespace flare
