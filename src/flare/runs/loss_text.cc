#include "flare/runs/loss_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

std::vector<std::string> Parts(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::string CanonicalLoss(const std::string& text, const Names& names, const std::string& where) {
  const std::vector<std::string> parts = Parts(text);
  const auto times = [&](const std::string& part) {
    return std::count(parts.begin(), parts.end(), part);
  };
  std::vector<std::string> terms = {"rec"}, found;
  for (const Names::LossTerm& term : names.loss_terms) terms.push_back(term.name);
  for (const std::string& term : terms) {
    if (times(term) > 0) found.push_back(term);
  }
  // Each known part once, and nothing else.
  if (found.size() == parts.size()) return fmt::format("{}", fmt::join(found, "+"));
  const auto nearest = Nearest(text, AllLosses(names));
  throw InputError(
      where,
      fmt::format("{} is not a sum of terms, each once, of {}", Quoted(text), Listed(terms, "and")),
      nearest ? fmt::format("did you mean {}?", *nearest) : "as in rec or rec+lm");
}

bool HasRecognition(std::string_view loss) { return loss == "rec" || loss.starts_with("rec+"); }

std::vector<std::string> LossTerms(std::string_view loss) {
  std::vector<std::string> parts = Parts(loss);
  if (HasRecognition(loss)) parts.erase(parts.begin());
  return parts;
}

bool HasLossTerm(std::string_view loss, std::string_view term) {
  const auto terms = LossTerms(loss);
  return std::find(terms.begin(), terms.end(), term) != terms.end();
}

std::vector<std::string> AllLosses(const Names& names) {
  // By the number of terms, then in the order of the catalogue.
  std::vector<std::pair<std::size_t, std::string>> losses = {{0, "rec"}};
  for (const Names::LossTerm& term : names.loss_terms) {
    for (std::size_t i = 0, count = losses.size(); i < count; ++i) {
      losses.emplace_back(losses[i].first + 1, losses[i].second + "+" + term.name);
    }
  }
  std::stable_sort(losses.begin(), losses.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> texts;
  for (auto& [terms, text] : losses) texts.push_back(std::move(text));
  return texts;
}

std::string CoefficientKey(std::string_view term) { return std::string(term) + "_coefficient"; }

}  // namespace flare
