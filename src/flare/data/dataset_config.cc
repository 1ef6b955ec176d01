#include "flare/data/dataset_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/base/toml_settings.h"

namespace flare {
namespace {

// Every setting is searched for among those of all splits.
constexpr std::size_t kMostSplits = 1'000;

struct KindName {
  SplitKind kind;
  const char* name;
};
constexpr KindName kKinds[] = {{SplitKind::kLabelled, "labelled"},
                               {SplitKind::kHeldOut, "held-out"},
                               {SplitKind::kEditDistance, "edit-distance"},
                               {SplitKind::kBalanced, "balanced"},
                               {SplitKind::kAdversarial, "adversarial"}};

[[noreturn]] void BadValue(const std::string& key, const std::string& value,
                           const std::string& expected, const std::string& where) {
  throw InputError(where, fmt::format("{}: {} is not {}", key, Quoted(value), expected));
}

void Parse(const std::string& key, const std::string& text, const std::string& where,
           double& field) {
  const auto value = ParseNumber<double>(text);
  if (!value || !(*value >= 0 && *value <= 1)) {
    BadValue(key, text, "a probability in [0, 1]", where);
  }
  field = *value;
}

void Parse(const std::string& key, const std::string& text, const std::string& where, bool& field) {
  if (text != "true" && text != "false") BadValue(key, text, "true or false", where);
  field = text == "true";
}

void Parse(const std::string& key, const std::string& text, const std::string& where,
           std::size_t& field) {
  constexpr std::size_t kLargest = 100'000'000;
  const auto value = ParseNumber<std::size_t>(text);
  if (!value || *value > kLargest) {
    BadValue(key, text, fmt::format("a number from 0 to {}", kLargest), where);
  }
  field = *value;
}

void Parse(const std::string& key, const std::string& text, const std::string& where,
           SplitKind& field) {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kKinds) {
    names.emplace_back(name);
    if (text == name) {
      field = kind;
      return;
    }
  }
  BadValue(key, text, fmt::format("one of {}", fmt::join(names, ", ")), where);
}

void Parse(const std::string& key, const std::string& text, const std::string& where,
           NegativeKind& field) {
  if (text != "proposals" && text != "format") BadValue(key, text, "proposals or format", where);
  field = text == "format" ? NegativeKind::kFormat : NegativeKind::kProposals;
}

// `splits.NAME.kind` adds a split; any other setting of an unknown split is probably a typo.
void AddSplitNamedBy(const std::string& key, const std::string& where, DatasetConfig& config) {
  constexpr std::string_view kPrefix = "splits.", kSuffix = ".kind";
  if (!key.starts_with(kPrefix) || !key.ends_with(kSuffix)) return;
  if (key.size() <= kPrefix.size() + kSuffix.size()) return;
  const std::string name = key.substr(kPrefix.size(), key.size() - kPrefix.size() - kSuffix.size());
  for (const SplitConfig& split : config.splits) {
    if (split.name == name) return;
  }
  CheckDirectoryName(name, where);
  if (config.splits.size() == kMostSplits) {
    throw InputError(where, fmt::format("{}: more than {} splits", key, kMostSplits));
  }
  config.splits.push_back({.name = name, .lengths = {0, 40}});
}

}  // namespace

std::string Name(SplitKind kind) {
  for (const auto& [k, name] : kKinds) {
    if (k == kind) return name;
  }
  __builtin_unreachable();
}

bool IsSeenInTraining(const SplitConfig& split) {
  return split.kind != SplitKind::kHeldOut &&
         (split.name == kTrainSplit || split.name == "dev" || split.name.starts_with("validation"));
}

DatasetConfig MakePreset(const std::string& name) {
  DatasetConfig config{.preset = name};
  using enum SplitKind;
  if (name == "flare") {
    config.splits = {{"train", kLabelled, 10'000, {0, 40}},
                     {"validation-short", kLabelled, 1'000, {0, 40}},
                     {"validation-long", kLabelled, 1'000, {0, 80}},
                     {"test", kLabelled, 5'010, {0, 500}},
                     {"test-short-held-out", kHeldOut, 1'000, {0, 40}},
                     {"test-edit-distance", kEditDistance, 50, {0, 500}}};
    return config;
  }
  if (name == "mlregtest") {
    config.write_mlregtest_text = true;
    config.splits = {
        {"train", kBalanced, 1'000, {20, 29}},   {"dev", kBalanced, 1'000, {20, 29}},
        {"test-sr", kBalanced, 1'000, {20, 29}}, {"test-sa", kAdversarial, 1'000, {20, 29}},
        {"test-lr", kBalanced, 1'000, {31, 50}}, {"test-la", kAdversarial, 1'000, {31, 50}}};
    return config;
  }
  throw InputError("--preset", fmt::format("unknown preset {}", Quoted(name)),
                   "expected flare or mlregtest");
}

void ApplySetting(const std::string& key, const std::string& value, const std::string& where,
                  DatasetConfig& config) {
  AddSplitNamedBy(key, where, config);
  bool found = false;
  std::vector<std::string> keys;
  VisitFields(config, [&](const std::string& name, auto& field, const char*) {
    keys.push_back(name);
    if (name != key) return;
    Parse(key, value, where, field);
    found = true;
  });
  if (found) return;
  const auto nearest = Nearest(key, keys);
  throw InputError(
      where, fmt::format("unknown setting {}", Quoted(key)),
      nearest ? fmt::format("did you mean {}?", *nearest) : "docs/datasets.md lists the settings");
}

void ApplyToml(std::string_view text, const std::string& file, DatasetConfig& config) {
  for (const auto& [key, value, where] : SettingsIn(ParseToml(text, file), file)) {
    ApplySetting(key, value, where, config);
  }
}

void Validate(const DatasetConfig& config) {
  // The number of edits of a proposal has mean 1/p.
  constexpr double kLeastStopProbability = 0.001;
  if (config.negatives.stop_probability < kLeastStopProbability) {
    throw InputError("", fmt::format("negatives.stop_probability: {} is below {}",
                                     config.negatives.stop_probability, kLeastStopProbability));
  }
  if (std::all_of(config.splits.begin(), config.splits.end(),
                  [](const SplitConfig& split) { return split.size == 0; })) {
    throw InputError("", "every split has size 0: there is nothing to make");
  }
  for (const SplitConfig& split : config.splits) {
    CheckDirectoryName(split.name, "splits");
    if (split.lengths.min > split.lengths.max) {
      throw InputError("", fmt::format("splits.{}: min_length {} is above max_length {}",
                                       split.name, split.lengths.min, split.lengths.max));
    }
    const bool paired = split.kind == SplitKind::kAdversarial || split.kind == SplitKind::kBalanced;
    if (paired && split.size % 2 != 0) {
      throw InputError("",
                       fmt::format("splits.{}.size: {} is odd, but a split of kind {} has as many "
                                   "members as non-members",
                                   split.name, split.size, Name(split.kind)));
    }
  }
}

std::vector<std::pair<std::string, std::string>> SettingsOf(const DatasetConfig& config) {
  std::vector<std::pair<std::string, std::string>> settings;
  VisitFields(config, [&](const std::string& key, const auto& field, const char*) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, SplitKind>) {
      settings.emplace_back(key, fmt::format("\"{}\"", Name(field)));
    } else if constexpr (std::is_same_v<Field, NegativeKind>) {
      // Newer than the format: manifests of the only kind that there was do not say so.
      if (field == NegativeKind::kFormat) settings.emplace_back(key, "\"format\"");
    } else {
      settings.emplace_back(key, fmt::format("{}", field));
    }
  });
  return settings;
}

}  // namespace flare
