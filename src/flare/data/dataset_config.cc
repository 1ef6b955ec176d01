#include "flare/data/dataset_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/base/toml_settings.h"

namespace flare {
namespace {

// Every setting is searched for among those of all splits.
constexpr std::size_t kMostSplits = 1'000;

template <class Value>
struct ValueName {
  Value value;
  const char* name;
};
// The names of the values of each kind of word; the argument only chooses among them.
std::span<const ValueName<SplitKind>> NamesOf(SplitKind) {
  static constexpr ValueName<SplitKind> names[] = {
      {SplitKind::kLabelled, "labelled"},          {SplitKind::kHeldOut, "held-out"},
      {SplitKind::kEditDistance, "edit-distance"}, {SplitKind::kBalanced, "balanced"},
      {SplitKind::kAdversarial, "adversarial"},    {SplitKind::kMembers, "members"}};
  return names;
}
std::span<const ValueName<MemberLaw>> NamesOf(MemberLaw) {
  static constexpr ValueName<MemberLaw> names[] = {{MemberLaw::kPaper, "paper"},
                                                   {MemberLaw::kUniform, "uniform"}};
  return names;
}
std::span<const ValueName<NegativeKind>> NamesOf(NegativeKind) {
  static constexpr ValueName<NegativeKind> names[] = {{NegativeKind::kProposals, "proposals"},
                                                      {NegativeKind::kFormat, "format"}};
  return names;
}
std::span<const ValueName<NegativeLaw>> NamesOf(NegativeLaw) {
  static constexpr ValueName<NegativeLaw> names[] = {{NegativeLaw::kMembers, "members"},
                                                     {NegativeLaw::kUniform, "uniform"}};
  return names;
}

template <class Word>
const char* NameOf(Word value) {
  for (const auto& [v, name] : NamesOf(value)) {
    if (v == value) return name;
  }
  __builtin_unreachable();
}

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
           std::vector<std::size_t>& field) {
  constexpr std::size_t kMostNumbers = 100;
  if (!text.starts_with('[') || !text.ends_with(']')) {
    BadValue(key, text, "a list, as [50, 100]", where);
  }
  std::vector<std::size_t> numbers;
  std::string_view rest = std::string_view(text).substr(1, text.size() - 2);
  while (rest.find_first_not_of(' ') != std::string_view::npos) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view item = rest.substr(0, comma);
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    item.remove_suffix(item.size() - std::min(item.find_last_not_of(' ') + 1, item.size()));
    if (numbers.size() == kMostNumbers) {
      throw InputError(where, fmt::format("{}: more than {} numbers", key, kMostNumbers));
    }
    Parse(key, std::string(item), where, numbers.emplace_back());
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  field = std::move(numbers);
}

template <class Word>
requires std::is_enum_v<Word>
void Parse(const std::string& key, const std::string& text, const std::string& where, Word& field) {
  std::vector<std::string> names;
  for (const auto& [value, name] : NamesOf(field)) {
    names.emplace_back(name);
    if (text != name) continue;
    field = value;
    return;
  }
  BadValue(key, text,
           names.size() == 2 ? fmt::format("{} or {}", names[0], names[1])
                             : fmt::format("one of {}", fmt::join(names, ", ")),
           where);
}

std::string ValueText(double value) { return fmt::format("{}", value); }
std::string ValueText(bool value) { return fmt::format("{}", value); }
std::string ValueText(std::size_t value) { return fmt::format("{}", value); }
std::string ValueText(const std::vector<std::size_t>& value) {
  return fmt::format("[{}]", fmt::join(value, ", "));
}
template <class Word>
requires std::is_enum_v<Word> std::string ValueText(Word value) {
  return fmt::format("\"{}\"", NameOf(value));
}

// Do splits of this kind draw uniformly, and pairs of a member and a non-member?
bool IsUniformAlready(SplitKind kind) {
  return kind == SplitKind::kBalanced || kind == SplitKind::kAdversarial;
}

void ValidateLaw(const DatasetConfig& config, const SplitConfig& split) {
  const std::string key = fmt::format("splits.{}.distribution", split.name);
  if (!config.given.contains(key) || !IsUniformAlready(split.kind)) return;
  throw InputError("", fmt::format("{} contradicts splits.{}.kind = {}: such a split is always "
                                   "uniform",
                                   key, split.name, ValueText(split.kind)));
}

std::string BinName(const SplitConfig& split, std::size_t begin, std::size_t end) {
  return fmt::format("{}-{}-{}", split.name, begin, end);
}

void ValidateBins(const DatasetConfig& config, const SplitConfig& split) {
  if (split.bins.empty()) return;
  const std::string key = fmt::format("splits.{}.bins = {}", split.name, ValueText(split.bins));
  if (split.name == kTrainSplit) {
    throw InputError("", fmt::format("{}: the training split is one", key));
  }
  if (split.size == 0) {
    throw InputError("", fmt::format("{} contradicts splits.{}.size = 0: bins have the size of "
                                     "their split",
                                     key, split.name));
  }
  if (split.bins.front() < split.lengths.min) {
    throw InputError("", fmt::format("{} begins below splits.{}.min_length = {}", key, split.name,
                                     split.lengths.min));
  }
  if (split.bins.back() > split.lengths.max) {
    throw InputError("", fmt::format("{} ends above splits.{}.max_length = {}", key, split.name,
                                     split.lengths.max));
  }
  std::size_t begin = split.lengths.min;
  for (const std::size_t end : split.bins) {
    if (end < begin) throw InputError("", fmt::format("{}: the ends do not increase", key));
    for (const SplitConfig& other : config.splits) {
      if (other.name == BinName(split, begin, end)) {
        throw InputError("", fmt::format("{} makes a split {}, and splits.{} is there already", key,
                                         other.name, other.name));
      }
    }
    begin = end + 1;
  }
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

std::string Name(SplitKind kind) { return NameOf(kind); }

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
  VisitFields(config, [&](const std::string& name, auto& field, const char*, auto&&...) {
    keys.push_back(name);
    if (name != key) return;
    Parse(key, value, where, field);
    found = true;
  });
  if (found) {
    config.given.insert(key);
    return;
  }
  const auto nearest = Nearest(key, keys);
  throw InputError(where, fmt::format("unknown setting {}", Quoted(key)),
                   nearest ? fmt::format("did you mean {}?", *nearest)
                           : "docs/reference/datasets.md lists the settings");
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
    ValidateLaw(config, split);
    ValidateBins(config, split);
    if (IsUniformAlready(split.kind) && split.size % 2 != 0) {
      throw InputError("",
                       fmt::format("splits.{}.size: {} is odd, but a split of kind {} has as many "
                                   "members as non-members",
                                   split.name, split.size, Name(split.kind)));
    }
  }
  if (config.given.contains(kNegativeLawKey) && config.negatives.kind != NegativeKind::kFormat) {
    throw InputError("", fmt::format("negatives.distribution is for negatives.kind = \"format\", "
                                     "and negatives.kind is {}",
                                     ValueText(config.negatives.kind)));
  }
}

DatasetConfig ExpandBins(DatasetConfig config) {
  std::vector<SplitConfig> splits;
  for (SplitConfig& split : config.splits) {
    const std::vector<std::size_t> ends = std::exchange(split.bins, {});
    splits.push_back(split);
    std::size_t begin = split.lengths.min;
    for (const std::size_t end : ends) {
      SplitConfig bin = split;
      bin.name = BinName(split, begin, end);
      bin.lengths = {begin, end};
      splits.push_back(std::move(bin));
      begin = end + 1;
    }
  }
  config.splits = std::move(splits);
  return config;
}

void SetToValuesBefore(DatasetConfig& config) {
  VisitFields(config, [](const std::string&, auto& field, const char*, const auto&... before) {
    ((field = before), ...);
  });
}

std::set<std::string> AddedDefaults(const DatasetConfig& config) {
  std::set<std::string> added;
  VisitFields(config, [&](const std::string& key, const auto&, const char*, const auto&... before) {
    if (sizeof...(before) > 0 && !config.given.contains(key)) added.insert(key);
  });
  return added;
}

std::vector<std::pair<std::string, std::string>> SettingsOf(const DatasetConfig& config) {
  std::vector<std::pair<std::string, std::string>> settings;
  VisitFields(config,
              [&](const std::string& key, const auto& field, const char*, const auto&... before) {
                // This law applies to negatives of the format only.
                if (key == kNegativeLawKey && config.negatives.kind != NegativeKind::kFormat)
                  return;
                if (((field == before) || ...)) return;
                settings.emplace_back(key, ValueText(field));
              });
  return settings;
}

}  // namespace flare
