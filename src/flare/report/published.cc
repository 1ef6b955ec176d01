#include "flare/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/runs/grid.h"

namespace flare::report {

std::shared_ptr<const Published> Published::Read(const std::string& file) {
  constexpr std::string_view kBuiltIn = "built-in:";
  if (file.starts_with(kBuiltIn)) {
    const auto text = BuiltInFile(file.substr(kBuiltIn.size()));
    if (!text) {
      throw InputError(file, "is not part of this program", "--no-published reports without it");
    }
    return std::make_shared<const Published>(Parse(*text, file));
  }
  if (!std::filesystem::exists(file)) {
    throw InputError(file, "the published values of the grid are not there",
                     "--no-published reports without them");
  }
  return std::make_shared<const Published>(Parse(ReadFile(file), file));
}

Published Published::Parse(std::string_view text, const std::string& where) {
  JsonReader reader;
  const JsonValue json = reader.Parse(text, where);
  Published all;
  all.label_ = json.StringOr("label", "published");
  const JsonValue comparable = json.At("comparable");
  all.data_preset_ = comparable.StringOr("data_preset", "flare");
  if (comparable.Find("losses")) {
    for (const std::string& loss : comparable.Strings("losses")) all.losses_.insert(loss);
  }
  if (const auto settings = comparable.Find("settings")) {
    settings->ForEach([&](std::string_view key, const JsonValue& value) {
      all.settings_[std::string(key)] = value.Text();
    });
  }
  for (const JsonValue& value : json.Array("values")) {
    const JsonValue settings = value.At("settings");
    const Key key{value.String("metric"), value.String("language"), value.String("variant"),
                  settings.CountOr("budget", 0)};
    PublishedValue published{.value = value.Number("value"),
                             .spread = value.MaybeNumber("spread"),
                             .runs = value.Count("runs"),
                             .loss = settings.StringOr("loss", "")};
    value.String("source");  // it must say where it stands
    const auto& [metric, language, variant, budget] = key;
    if (published.runs == 0 || !std::isfinite(published.value) ||
        published.spread.value_or(0) < 0) {
      json.Fail(fmt::format("the {} of {} on {} is not a number of some runs", metric, variant,
                            language));
    }
    all.known_.insert({language, variant});
    if (!all.values_.emplace(key, std::move(published)).second) {
      json.Fail(fmt::format("two values are {} of {} on {} with {} parameters", metric, variant,
                            language, budget));
    }
  }
  return all;
}

const PublishedValue* Published::Find(const std::string& metric, const std::string& language,
                                      const std::string& variant, std::size_t budget) const {
  const auto found = values_.find({metric, language, variant, budget});
  return found == values_.end() ? nullptr : &found->second;
}

std::set<std::size_t> Published::Budgets(const std::string& metric, const std::string& language,
                                         const std::string& variant) const {
  std::set<std::size_t> budgets;
  for (auto at = values_.lower_bound({metric, language, variant, 0}); at != values_.end(); ++at) {
    const auto& [of_metric, of_language, of_variant, budget] = at->first;
    if (of_metric != metric || of_language != language || of_variant != variant) break;
    budgets.insert(budget);
  }
  return budgets;
}

double StandardErrors(double ours, std::size_t runs, const PublishedValue& published) {
  constexpr double kLeastDeviation = 0.01;
  const double deviation = std::max(published.spread.value_or(0), kLeastDeviation);
  const double error = deviation * std::sqrt(1 / static_cast<double>(runs) +
                                             1 / static_cast<double>(published.runs));
  return (ours - published.value) / error;
}

}  // namespace flare::report
