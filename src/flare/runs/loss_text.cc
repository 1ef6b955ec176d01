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
  std::string loss = "rec";
  std::size_t known = 1;
  for (const Names::LossTerm& term : names.loss_terms) {
    if (times(term.name) == 0) continue;
    loss += "+" + term.name;
    ++known;
  }
  // Each known part once, and nothing else.
  if (times("rec") == 1 && known == parts.size()) return loss;
  const std::vector<std::string> losses = AllLosses(names);
  const auto nearest = Nearest(text, losses);
  throw InputError(where, fmt::format("{} is not one of {}", Quoted(text), fmt::join(losses, ", ")),
                   nearest ? fmt::format("did you mean {}?", *nearest) : "");
}

std::vector<std::string> LossTerms(std::string_view loss) {
  std::vector<std::string> parts = Parts(loss);
  parts.erase(parts.begin());
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
