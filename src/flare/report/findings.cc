#include "flare/report/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "flare/base/text.h"
#include "flare/report/statistics.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

struct LanguageScores {
  std::string language;
  std::vector<std::pair<std::string, double>> scores;  // by family
};

std::vector<LanguageScores> ScoresOf(const Selection& selection, const ReportColumn& column) {
  std::vector<LanguageScores> all;
  for (const std::string& language : selection.study().axes.languages) {
    LanguageScores one{language, {}};
    for (const std::string& family : selection.study().Variants()) {
      const auto score = selection.Score(column, language, family);
      if (score) one.scores.emplace_back(family, score->value);
    }
    if (!one.scores.empty()) all.push_back(std::move(one));
  }
  return all;
}

// A title in a sentence, whose commas are its own: "DeltaNet (signed)".
std::string InSentence(const std::string& title) {
  const std::size_t comma = title.find(", ");
  if (comma == std::string::npos) return title;
  return fmt::format("{} ({})", title.substr(0, comma), title.substr(comma + 2));
}

// "accuracy, Expressivity"
std::string Subject(const Study& study, const ReportColumn& column) {
  std::string subject = study.metric.title;
  if (study.columns.size() > 1) subject += ", " + column.title;
  const std::vector<std::string> families = study.Variants();
  if (std::any_of(families.begin(), families.end(),
                  [&](const std::string& family) { return study.Members(family).size() > 1; })) {
    subject += ", with the settings that validation chooses";
  }
  return subject;
}

// Which architecture is the best on how many languages, as scores are shown.
std::string BestSentence(const Study& study, const ReportColumn& column,
                         const std::vector<LanguageScores>& all) {
  std::map<std::string, std::size_t> wins;
  std::size_t languages = 0, ties = 0;
  std::string only;  // if there is one
  for (const LanguageScores& one : all) {
    if (one.scores.size() < 2) continue;
    ++languages;
    only = one.language;
    const auto shown = [&](double value) {
      return std::stod(FormatFixed(value, study.metric.decimals));
    };
    double best = shown(one.scores[0].second);
    for (const auto& [family, value] : one.scores) {
      if (study.metric.IsBetter(shown(value), best)) best = shown(value);
    }
    std::vector<std::string> at_best;
    for (const auto& [family, value] : one.scores) {
      if (shown(value) == best) at_best.push_back(family);
    }
    at_best.size() == 1 ? ++wins[at_best[0]] : ++ties;
  }
  if (languages == 0) return "";
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const std::string& family : study.Variants()) {
    if (wins.contains(family)) order.emplace_back(wins[family], InSentence(study.Title(family)));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (const auto& [count, title] : order) {
    if (languages == 1) {
      parts.push_back(title + " is best on " + LanguageTitle(only));
      continue;
    }
    parts.push_back(parts.empty() ? fmt::format("{} alone is best on {} of {}", title, count,
                                                Counted(languages, "language"))
                                  : fmt::format("{} on {}", title, count));
  }
  if (ties > 0) {
    parts.push_back(parts.empty() ? languages == 1 ? "the best tie on " + LanguageTitle(only)
                                                   : fmt::format("the best tie on all of {}",
                                                                 Counted(languages, "language"))
                                  : fmt::format("the best tie on {}", ties));
  }
  return fmt::format("Of {} architectures, {} ({}).", study.Variants().size(),
                     fmt::join(parts, ", "), Subject(study, column));
}

std::string RangeSentence(const Study& study, const ReportColumn& column,
                          const std::vector<LanguageScores>& all) {
  std::vector<std::pair<double, std::string>> scores;
  for (const LanguageScores& one : all) {
    scores.emplace_back(one.scores[0].second, LanguageTitle(one.language));
  }
  const auto by_score = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end(), by_score);
  const auto text = [&](double value) { return FormatFixed(value, study.metric.decimals); };
  const std::string title = InSentence(study.Title(all[0].scores[0].first));
  if (scores.size() == 1) {
    return fmt::format("{} reaches {} on {} ({}).", title, text(least->first), least->second,
                       Subject(study, column));
  }
  if (text(least->first) == text(most->first)) {
    return fmt::format("{} reaches {} on all of {} ({}).", title, text(least->first),
                       Counted(scores.size(), "language"), Subject(study, column));
  }
  return fmt::format("{} reaches between {} ({}) and {} ({}) on {} ({}).", title,
                     text(least->first), least->second, text(most->first), most->second,
                     Counted(scores.size(), "language"), Subject(study, column));
}

// Says on how many languages even the best is no better than knowing the format.
std::string FormatSentence(const Study& study, const std::vector<LanguageScores>& all) {
  if (study.metric.name != "accuracy") return "";
  std::size_t known = 0, below = 0;
  std::string only;
  for (const LanguageScores& one : all) {
    const Baselines* baselines = study.FindBaselines(one.language);
    if (baselines == nullptr || !baselines->format_only) continue;
    ++known;
    only = one.language;
    const bool is_above = std::any_of(one.scores.begin(), one.scores.end(), [&](const auto& score) {
      return score.second > *baselines->format_only;
    });
    if (!is_above) ++below;
  }
  if (below == 0) return "";
  if (known == 1) {
    return fmt::format("On {} none is better than knowing the format.", LanguageTitle(only));
  }
  return fmt::format("On {} of {} none is better than knowing the format.", below,
                     Counted(known, "language"));
}

// Returns the number of languages on which some run is right on every test string.
std::string PerfectSentence(const Study& study) {
  constexpr std::size_t kMostNamed = 5;
  std::map<std::string, double> best;  // by language
  for (const StudyRun& run : study.runs) {
    if (!run.score) continue;
    const auto [at, is_new] = best.try_emplace(run.at.language, *run.score);
    at->second = std::max(at->second, *run.score);
  }
  std::vector<std::string> others;
  for (const std::string& language : study.axes.languages) {
    const auto found = best.find(language);
    if (found != best.end() && found->second != 1) others.push_back(LanguageTitle(language));
  }
  const std::size_t perfect = best.size() - others.size();
  if (perfect == 0) return fmt::format("No run has {} 1.", study.metric.title);
  if (best.size() == 1) return fmt::format("Some run has {} 1.", study.metric.title);
  std::string text = fmt::format("On {} of {} some run has {} 1", perfect,
                                 Counted(best.size(), "language"), study.metric.title);
  if (perfect > 0 && !others.empty() && others.size() <= kMostNamed) {
    text += fmt::format(", and none on {}", Listed(others, "and"));
  }
  return text + ".";
}

// How far trials of one point of the grid are from each other.
std::string TrialsSentence(const Selection& selection) {
  const Study& study = selection.study();
  std::optional<double> widest;
  const RunGroup* where = nullptr;
  std::size_t points = 0;
  for (const RunGroup& group : selection.groups()) {
    const std::vector<double> scores = group.Scores();
    if (scores.size() < 2) continue;
    ++points;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    if (widest && *most - *least <= *widest) continue;
    widest = *most - *least;
    where = &group;
  }
  if (points == 0) return "";
  const std::string width = FormatFixed(*widest, study.metric.decimals);
  if (std::stod(width) == 0) return "The trials of every point of the grid agree, as shown.";
  return fmt::format("Trials of one point of the grid differ by up to {} ({}, {}).", width,
                     LanguageTitle(where->language), study.Title(where->variant));
}

std::vector<std::string> MissingFrom(const Study& study) {
  std::vector<std::string> missing, states;
  if (!study.origin.empty()) missing.push_back(study.origin);
  std::size_t lacking = 0;
  // What is left out has ended; the study's note says so.
  for (const RunState state :
       {RunState::kFailed, RunState::kDamaged, RunState::kRunning, RunState::kLeft}) {
    const std::size_t count = study.Count(state) - (state == RunState::kLeft ? study.LeftOut() : 0);
    lacking += count;
    if (count > 0) states.push_back(fmt::format("{} {}", count, StateWord(state)));
  }
  if (lacking > 0) {
    missing.push_back(fmt::format("Missing: {} of {} ({}).", lacking,
                                  Counted(study.runs.size(), "run"), fmt::join(states, ", ")));
  }
  for (const std::string& family : study.Variants()) {
    if (study.MayHaveScores(family)) continue;
    missing.push_back(fmt::format("No run of {} has {}, which its loss does not measure.",
                                  InSentence(study.Title(family)), study.metric.title));
  }
  if (study.axes.trials == 1) {
    missing.emplace_back("There is one trial of each: nothing is known about other seeds.");
  }
  if (study.published && study.shows_published &&
      std::none_of(study.axes.languages.begin(), study.axes.languages.end(),
                   [&](const std::string& language) {
                     return std::any_of(study.cohorts.begin(), study.cohorts.end(),
                                        [&](const Cohort& cohort) {
                                          return study.published->Has(language, cohort.variant);
                                        });
                   })) {
    missing.push_back(
        fmt::format("The published values ({}) are of other languages or architectures than these.",
                    study.PublishedLabel()));
  }
  return missing;
}

}  // namespace

std::string Findings::Text() const {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  if (!missing.empty())
    text += (text.empty() ? "" : "\n") + fmt::format("{}\n", fmt::join(missing, "\n"));
  return text;
}

Findings FindingsOf(const Selection& selection) {
  const Study& study = selection.study();
  Findings findings{{}, MissingFrom(study)};
  const ReportColumn& column = study.columns.back();
  const std::vector<LanguageScores> scores = ScoresOf(selection, column);
  if (scores.empty()) return findings;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) findings.sentences.push_back(std::move(sentence));
  };
  add(study.Variants().size() > 1 ? BestSentence(study, column, scores)
                                  : RangeSentence(study, column, scores));
  add(FormatSentence(study, scores));
  if (study.metric.is_share) add(PerfectSentence(study));
  add(TrialsSentence(selection));
  return findings;
}

}  // namespace flare::report
