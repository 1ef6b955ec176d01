#include "flare/runs/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

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

namespace {

constexpr std::size_t kMostStages = 100;
constexpr std::size_t kLargestNumber = 1'000'000'000;  // the greatest step or length

constexpr const char* kExpectedStages =
    "expected steps and lengths that grow, from step 0 on: [[0, 10], [5000, 20]] or 0:10+5000:20";

std::string WithoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "[[0,10],[5000,20]]" as "0:10+5000:20"; other texts as they are.
std::string WithoutBrackets(std::string text) {
  if (!text.starts_with("[[") || !text.ends_with("]]")) return text;
  text = text.substr(2, text.size() - 4);
  for (std::size_t at = 0; (at = text.find("],[", at)) != std::string::npos;) {
    text.replace(at, 3, "+");
  }
  std::replace(text.begin(), text.end(), ',', ':');
  return text;
}

}  // namespace

std::size_t Curriculum::StageAt(std::size_t step) const {
  const auto next =
      std::upper_bound(stages.begin(), stages.end(), step,
                       [](std::size_t s, const Stage& stage) { return s < stage.step; });
  return static_cast<std::size_t>(next - stages.begin()) - 1;
}

bool Curriculum::BeginsAt(std::size_t step) const {
  return step > 0 && stages[StageAt(step)].step == step;
}

std::string Curriculum::Text() const {
  if (stages.size() == 1 && stages[0].longest == Stage{}.longest) return "";
  std::vector<std::string> parts;
  for (const Stage& stage : stages)
    parts.push_back(fmt::format("{}:{}", stage.step, stage.longest));
  return fmt::format("{}", fmt::join(parts, "+"));
}

Curriculum ParseCurriculum(const std::string& text, const std::string& where) {
  const std::string plain = WithoutBrackets(WithoutBlanks(text));
  if (plain.empty()) return {};
  const auto refuse = [&](const std::string& why) {
    throw InputError(where, fmt::format("{} is not a curriculum: {}", Quoted(text), why),
                     kExpectedStages);
  };
  Curriculum curriculum{{}};
  for (std::size_t begin = 0; begin <= plain.size();) {
    const std::size_t end = std::min(plain.find('+', begin), plain.size());
    const std::string_view part = std::string_view(plain).substr(begin, end - begin);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const auto step = ParseNumber<std::size_t>(part.substr(0, colon));
    const auto longest = ParseNumber<std::size_t>(part.substr(std::min(colon + 1, part.size())));
    if (!step || !longest || *step > kLargestNumber || *longest > kLargestNumber) {
      refuse(fmt::format("{} is not a step and a length", Quoted(part)));
    }
    if (curriculum.stages.size() == kMostStages) {
      refuse(fmt::format("it has more than {} stages", kMostStages));
    }
    if (curriculum.stages.empty() && *step != 0) {
      refuse(fmt::format("it begins with step {}", *step));
    }
    if (!curriculum.stages.empty()) {
      const Curriculum::Stage& last = curriculum.stages.back();
      if (*step <= last.step) refuse(fmt::format("step {} comes after {}", *step, last.step));
      if (*longest <= last.longest) {
        refuse(fmt::format("length {} comes after {}", *longest, last.longest));
      }
    }
    curriculum.stages.push_back({*step, *longest});
    begin = end + 1;
  }
  return curriculum;
}

}  // namespace flare
