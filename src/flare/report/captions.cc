#include "flare/report/captions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "flare/runs/run_settings.h"

namespace flare::report {

std::optional<LengthRange> LengthsOf(const Sweep& sweep, const std::string& language,
                                     const std::string& split) {
  const auto facts = sweep.facts.find(language);
  if (facts == sweep.facts.end()) return std::nullopt;
  const auto lengths = facts->second.lengths.find(split);
  return lengths == facts->second.lengths.end() ? std::nullopt : std::optional(lengths->second);
}

std::vector<std::size_t> SeenLengths(const Sweep& sweep, const std::string& language) {
  std::set<std::size_t> seen;
  if (const auto train = LengthsOf(sweep, language, "train")) seen.insert(train->max);
  std::size_t validation = 0;
  for (const std::string& name : sweep.axes.validations) {
    const auto lengths = LengthsOf(sweep, language, ValidationSplit(name));
    if (lengths) validation = std::max(validation, lengths->max);
  }
  if (validation > 0) seen.insert(validation);
  return {seen.begin(), seen.end()};
}

std::string LengthsText(const Sweep& sweep, const std::string& split) {
  std::set<std::string> texts;
  for (const std::string& language : sweep.axes.languages) {
    const auto lengths = LengthsOf(sweep, language, split);
    if (!lengths) return "the split " + split;
    // For some languages the shortest string has a few symbols.
    texts.insert(4 * lengths->min < lengths->max
                     ? fmt::format("up to {}", lengths->max)
                     : fmt::format("{} to {}", lengths->min, lengths->max));
  }
  return fmt::format("lengths {}{}", fmt::join(texts, " or "),
                     texts.size() > 1 ? ", by language" : "");
}

std::string MainCaption(const Sweep& sweep) {
  const std::string test = LengthsText(sweep, sweep.test_split);
  std::string text = fmt::format(
      "Accuracy on {}{}. Inductive bias: validation on {}, mean ± standard deviation over trials "
      "of "
      "the loss with the highest mean. ",
      test.starts_with("lengths") ? "strings of " : "", test,
      LengthsText(sweep, ValidationSplit(sweep.FirstValidation())));
  if (const std::string second = sweep.SecondValidation(); !second.empty()) {
    text += fmt::format("Expressivity: validation on {}, maximum over all trials of all losses. ",
                        LengthsText(sweep, ValidationSplit(second)));
  }
  return text + "Format only: accept whatever has the right format.";
}

}  // namespace flare::report
