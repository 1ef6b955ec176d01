#include "flare/runs/objective.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/run_settings.h"

namespace flare {

std::optional<double> FindFigure(const Figures& figures, std::string_view name) {
  for (const auto& [figure, value] : figures) {
    if (figure == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> FiguresOfLoss(std::string_view loss) {
  std::vector<std::string> figures = {std::string(kObjective)};
  if (HasRecognition(loss)) {
    for (const std::string_view figure :
         {kRecognitionAccuracy, kRecognitionCrossEntropy, std::string_view("false_positives"),
          std::string_view("false_negatives"), std::string_view("f1"), std::string_view("auc"),
          std::string_view("longest_perfect_length")}) {
      figures.emplace_back(figure);
    }
  }
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (!HasLossTerm(loss, term.name)) continue;
    figures.push_back(term.key + "_cross_entropy");
    for (const std::string& figure : term.figures) {
      std::string name = term.key + "_" + figure;
      for (char& c : name) c = c == '.' ? '_' : c;
      figures.push_back(std::move(name));
    }
  }
  return figures;
}

bool IsBetterLow(std::string_view figure) {
  return figure == kObjective || figure.ends_with("cross_entropy") || figure.starts_with("false_");
}

std::string DefaultSelection(std::string_view loss) {
  return std::string(HasRecognition(loss) ? kRecognitionCrossEntropy : kObjective);
}

bool FigureCondition::Holds(double measured) const {
  if (comparison == ">=") return measured >= value;
  if (comparison == "<=") return measured <= value;
  return comparison == ">" ? measured > value : measured < value;
}

std::string FigureCondition::Text() const {
  return fmt::format("{} {} {}", figure, comparison, value);
}

FigureCondition ParseCondition(const std::string& text, const std::string& where) {
  const auto trimmed = [](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return std::string(part);
  };
  const std::size_t begin = text.find_first_of("<>");
  if (begin != std::string::npos) {
    const std::size_t end = begin + (text.substr(begin + 1, 1) == "=" ? 2 : 1);
    const auto value = ParseNumber<double>(trimmed(text.substr(end)));
    FigureCondition condition{trimmed(text.substr(0, begin)), text.substr(begin, end - begin),
                              value.value_or(0)};
    const bool is_name = condition.figure.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (value && is_name && !condition.figure.empty()) return condition;
  }
  throw InputError(where, fmt::format("{} is not a condition", Quoted(text)),
                   "expected FIGURE >= VALUE, with >=, >, <= or <: \"accuracy >= 0.99\"");
}

}  // namespace flare
