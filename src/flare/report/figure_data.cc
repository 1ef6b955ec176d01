#include "flare/report/figure_data.h"

namespace flare::report {

RunFigures ReadRunFigures(const Run& run, RunFiles& files) {
  return {.run = &run,
          .lengths = files.Lengths(run),
          .edits = files.Examples(run, "test-edit-distance"),
          .training = files.Curve(run)};
}

std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            RunFiles& files) {
  std::vector<RunFigures> all;
  for (const std::string& variant : selection.study().Variants()) {
    const Run* run = selection.ForFigures(language, variant, Choice::kByTest);
    if (run != nullptr) all.push_back(ReadRunFigures(*run, files));
  }
  return all;
}

}  // namespace flare::report
