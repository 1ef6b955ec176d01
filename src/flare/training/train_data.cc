#include "flare/training/train_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/data/draw.h"
#include "flare/data/flare_files.h"
#include "flare/languages/source.h"
#include "flare/runs/recipe.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

constexpr const char* kTrainData = "train_data";
constexpr const char* kCurriculum = "curriculum";

// Describes a stage of a curriculum.
std::string StageText(const Curriculum::Stage& stage) {
  return fmt::format("from step {} on, strings have at most {} symbols", stage.step, stage.longest);
}

// Checks a curriculum against the files. Its recipe was checked before, but may allow for longer
// strings than there are.
void CheckStages(const RunSettings& settings, const Split& split, const std::string& dataset) {
  std::size_t shortest = std::numeric_limits<std::size_t>::max(), longest = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (!LooksAtNegatives(settings) && split.labels[i] == 0) continue;
    shortest = std::min(shortest, split.string(i).size());
    longest = std::max(longest, split.string(i).size());
  }
  const auto stages = ParseCurriculum(settings.curriculum, kCurriculum).stages;
  const auto refuse = [&](const Curriculum::Stage& stage, const char* which, std::size_t length) {
    throw InputError(kCurriculum,
                     fmt::format("{}, and the {} of the training split of {} that loss = {} looks "
                                 "at has {}",
                                 StageText(stage), which, dataset, settings.loss, length));
  };
  if (stages.front().longest < shortest) refuse(stages.front(), "shortest", shortest);
  const bool has_recipe = fs::exists(fs::path(dataset) / kManifestFile);
  if (!has_recipe && stages.back().longest > longest) refuse(stages.back(), "longest", longest);
}

class FixedStrings : public TrainStrings {
 public:
  explicit FixedStrings(Split split) : split_(std::move(split)) {
    for (std::size_t i = 0; i < split_.size(); ++i) {
      const std::size_t length = split_.string(i).size();
      if (!longest_.name.empty() && length <= longest_.length) continue;
      longest_ = {length, fmt::format("training example {}", i + 1)};
    }
  }

  const Split& Epoch(std::size_t, std::size_t) override { return split_; }
  std::size_t size() const override { return split_.size(); }
  Longest longest() const override { return longest_; }

 private:
  Split split_;
  Longest longest_;
};

std::unique_ptr<TrainStrings> OpenFixed(const RunSettings& settings, const RunData& data) {
  Split split = ReadSplitFor(settings, data, std::string(kTrainSplit), NeedsNextSymbols(settings));
  if (!settings.curriculum.empty()) CheckStages(settings, split, data.pinned.path.string());
  return StringsOf(std::move(split));
}

const SplitConfig* TrainSplitOf(const DatasetConfig& config) {
  const auto found =
      std::find_if(config.splits.begin(), config.splits.end(),
                   [](const SplitConfig& split) { return split.name == kTrainSplit; });
  return found == config.splits.end() ? nullptr : &*found;
}

// A string is a function of the run's seed, the epoch and the string's number.
class FreshStrings : public TrainStrings {
 public:
  FreshStrings(const RunSettings& settings, const RunData& data)
      : FreshStrings(settings, data, RecipeOf(settings, data)) {}

  const Split& Epoch(std::size_t epoch, std::size_t stage) override {
    const Stage& at = stages_[stage];
    at.drawer->Draw(seed_, fmt::format("train_data/fresh/{}", epoch), split_);
    FillColumns({language_, config_, "", seed_}, *at.config, split_);
    return split_;
  }
  std::size_t size() const override { return stages_.back().config->size; }
  Longest longest() const override {
    const std::size_t length = stages_.back().config->lengths.max;
    return {length, fmt::format("training strings of {} symbols", length)};
  }

 private:
  struct Stage {
    std::unique_ptr<SplitConfig> config;  // the drawer keeps a reference to it
    std::unique_ptr<SplitDrawer> drawer;
  };

  // Reads the recipe from the manifest, which is the one that the run was planned with.
  static Manifest RecipeOf(const RunSettings& settings, const RunData& data) {
    if (!fs::is_directory(data.pinned.path)) {
      throw Unavailable(data.pinned.path, "no such directory");
    }
    auto manifest = ManifestOf(data.pinned);
    CheckTrainData(settings, manifest ? &*manifest : nullptr, data.pinned.path.string(), "");
    return *std::move(manifest);
  }

  FreshStrings(const RunSettings& settings, const RunData& data, const Manifest& recipe)
      : seed_(settings.seed),
        language_(LoadLanguage(recipe.language, data.pinned.path / kManifestFile)),
        config_(ConfigOf(recipe, data.pinned.path / kManifestFile)),
        split_(data.alphabet.size()) {
    if (!(language_.language->alphabet() == data.alphabet)) {
      throw InputError(data.pinned.path / kManifestFile,
                       "its language has another alphabet than its strings");
    }
    config_.write_next_symbols = NeedsNextSymbols(settings);
    config_.write_log_probabilities = config_.write_num_edits = config_.write_edit_distances =
        false;
    for (const auto& stage : ParseCurriculum(settings.curriculum, kCurriculum).stages) {
      auto split = std::make_unique<SplitConfig>(*TrainSplitOf(config_));
      split->lengths.max = std::min(split->lengths.max, stage.longest);
      try {
        auto drawer = MakeDrawer(language_, config_, *split, !LooksAtNegatives(settings));
        stages_.push_back({std::move(split), std::move(drawer)});
      } catch (const InputError& error) {
        throw InputError(settings.curriculum.empty() ? kTrainData : kCurriculum, error.what(),
                         error.hint());
      }
    }
  }

  std::uint64_t seed_;
  NamedLanguage language_;
  DatasetConfig config_;
  std::vector<Stage> stages_;
  Split split_;
};

std::unique_ptr<TrainStrings> OpenFresh(const RunSettings& settings, const RunData& data) {
  return std::make_unique<FreshStrings>(settings, data);
}

void CheckFresh(const RunSettings& settings, const Manifest* recipe, const std::string& dataset,
                const SettingPlaces& places) {
  const std::string what =
      fmt::format("{} draws strings by the recipe of the dataset", settings.train_data);
  const auto refuse = [&](const std::string& why, const std::string& hint = "") {
    throw InputError(places.Of(kTrainData), fmt::format("{}, and {} {}", what, dataset, why), hint);
  };
  if (recipe == nullptr) {
    refuse("does not say how it was made: it has no manifest.json",
           "flare generate makes datasets that do");
  }
  if (!recipe->language.IsLoadable()) {
    refuse(fmt::format("is of {}, which only a program knows: no code is run because a file names "
                       "it",
                       Quoted(recipe->language.text)),
           "generate a larger training split instead");
  }
  const DatasetConfig config = ConfigOf(*recipe, dataset);
  const SplitConfig* split = TrainSplitOf(config);
  if (split == nullptr || split->size == 0) refuse("has no training split");
  if (split->kind == SplitKind::kHeldOut) {
    refuse("has splits.train.kind = \"held-out\", strings that other splits lack");
  }
  if (split->kind == SplitKind::kEditDistance && !LooksAtNegatives(settings)) {
    refuse(
        fmt::format("has splits.train.kind = \"edit-distance\", no members, which are all that "
                    "loss = {} looks at",
                    settings.loss));
  }
}

void CheckCurriculum(const RunSettings& settings, const Manifest& recipe,
                     const std::string& dataset, const SettingPlaces& places) {
  const DatasetConfig config = ConfigOf(recipe, dataset);
  const SplitConfig* split = TrainSplitOf(config);
  if (split == nullptr) return;
  const auto stages = ParseCurriculum(settings.curriculum, kCurriculum).stages;
  const auto refuse = [&](const Curriculum::Stage& stage, const char* key, std::size_t value) {
    throw InputError(places.Of(kCurriculum), fmt::format("{}, and splits.train.{} is {} in {}",
                                                         StageText(stage), key, value, dataset));
  };
  if (stages.back().longest > split->lengths.max) {
    refuse(stages.back(), "max_length", split->lengths.max);
  }
  if (stages.front().longest < split->lengths.min) {
    refuse(stages.front(), "min_length", split->lengths.min);
  }
}

// Throws InputError if the loss has nothing to learn from.
void CheckHasExamplesFor(const RunSettings& settings, const Split& split,
                         const std::string& where) {
  const bool has_members =
      std::find(split.labels.begin(), split.labels.end(), 1) != split.labels.end();
  if (!has_members && !LooksAtNegatives(settings)) {
    throw InputError(
        where, fmt::format("has no members, which are all that loss = {} looks at", settings.loss));
  }
}

}  // namespace

std::span<const TrainDataInfo> TrainDataCatalog() {
  static const std::vector<TrainDataInfo> streams = {
      {"fixed", "those of the training split", true, false, OpenFixed},
      {"fresh", "others in each, drawn by the recipe of the training split", false, true,
       OpenFresh},
  };
  return streams;
}

const TrainDataInfo* FindTrainData(std::string_view name) {
  for (const TrainDataInfo& stream : TrainDataCatalog()) {
    if (stream.name == name) return &stream;
  }
  return nullptr;
}

bool EpochsAreAlike(const RunSettings& settings) {
  return FindTrainData(settings.train_data)->repeats && settings.curriculum.empty();
}

std::unique_ptr<TrainStrings> StringsOf(Split split) {
  return std::make_unique<FixedStrings>(std::move(split));
}

std::unique_ptr<TrainStrings> OpenTrainStrings(const RunSettings& settings, const RunData& data) {
  return FindTrainData(settings.train_data)->open(settings, data);
}

Split ReadSplitFor(const RunSettings& settings, const RunData& data, const std::string& name,
                   bool next_symbols) {
  data.CheckSplit(name);
  ReadOptions options = kOnlyStrings;
  options.next_symbols = next_symbols;
  Split split = ReadPinnedSplit(data, name, options);
  if (split.size() == 0) {
    throw InputError(data.pinned.path, fmt::format("its split {} is empty", name));
  }
  CheckHasExamplesFor(settings, split, std::string(data.pinned.path) + ": its split " + name);
  if (next_symbols && !split.has_next_symbols) {
    throw InputError(data.pinned.path,
                     fmt::format("its split {} has no next-symbol sets, which the loss {} needs",
                                 name, settings.loss));
  }
  return split;
}

void CheckTrainData(const RunSettings& settings, const Manifest* recipe, const std::string& dataset,
                    const SettingPlaces& places) {
  if (FindTrainData(settings.train_data)->needs_recipe) {
    CheckFresh(settings, recipe, dataset, places);
  }
  if (recipe != nullptr && !settings.curriculum.empty()) {
    CheckCurriculum(settings, *recipe, dataset, places);
  }
}

void CheckTrainData(const RunSettings& settings, const PinnedData& data,
                    const SettingPlaces& places) {
  const bool asks =
      FindTrainData(settings.train_data)->needs_recipe || !settings.curriculum.empty();
  if (!asks || !fs::is_directory(data.path)) return;
  const auto manifest = ManifestOf(data);
  CheckTrainData(settings, manifest ? &*manifest : nullptr, data.path.string(), places);
}

}  // namespace flare
