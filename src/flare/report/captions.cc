#include "flare/report/captions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "flare/runs/run_settings.h"

namespace flare::report {

std::optional<LengthRange> LengthsOf(const Study& study, const std::string& language,
                                     const std::string& split) {
  const auto facts = study.facts.find(language);
  if (facts == study.facts.end()) return std::nullopt;
  const auto lengths = facts->second.lengths.find(split);
  return lengths == facts->second.lengths.end() ? std::nullopt : std::optional(lengths->second);
}

std::vector<std::size_t> SeenLengths(const Study& study, const std::string& language) {
  std::set<std::size_t> seen;
  if (const auto train = LengthsOf(study, language, "train")) seen.insert(train->max);
  std::size_t validation = 0;
  for (const std::string& name : study.axes.validations) {
    const auto lengths = LengthsOf(study, language, ValidationSplit(name));
    if (lengths) validation = std::max(validation, lengths->max);
  }
  if (validation > 0) seen.insert(validation);
  return {seen.begin(), seen.end()};
}

std::string LengthsText(const Study& study, const std::string& split) {
  std::set<std::string> texts;
  for (const std::string& language : study.axes.languages) {
    const auto lengths = LengthsOf(study, language, split);
    if (!lengths) return "the split " + split;
    // For some languages the shortest string has a few symbols.
    texts.insert(4 * lengths->min < lengths->max
                     ? fmt::format("up to {}", lengths->max)
                     : fmt::format("{} to {}", lengths->min, lengths->max));
  }
  return fmt::format("lengths {}{}", fmt::join(texts, " or "),
                     texts.size() > 1 ? ", by language" : "");
}

}  // namespace flare::report
