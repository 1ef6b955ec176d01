#include "flare/report/learned.h"

#include <utility>

#include "flare/automata/att.h"

namespace flare::report {

std::vector<Learned> LearnedOf(const Selection& selection, const std::string& language,
                               RunFiles& files) {
  std::vector<Learned> all;
  for (const std::string& variant : selection.study().Variants()) {
    for (const std::string& validation : selection.study().axes.validations) {
      const Run* run =
          selection.ForFigures(language, variant, Choice::kByValidation, "", validation);
      if (run == nullptr) continue;
      auto saved = files.Extraction(*run);
      if (!saved) continue;
      Learned learned{run, std::move(saved->report), std::nullopt};
      if (!saved->automaton.empty()) {
        learned.automaton = ParseAtt(saved->automaton, (run->directory / "extract").string(),
                                     {.extra_symbols = learned.report.alphabet});
      }
      all.push_back(std::move(learned));
    }
  }
  return all;
}

}  // namespace flare::report
