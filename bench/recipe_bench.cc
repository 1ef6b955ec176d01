// What recipes cost beside the paper's, on one core, as ratios of processor time: everything that
// is compared takes turns in one process.
//
//   recipe_bench fresh      drawing the strings of an epoch, beside the steps of that epoch: a line
//                           per language of the catalogue
//   recipe_bench recipes    optimizers, schedules and objectives, beside Adam and rec, and st
//   beside
//                           rec+st

#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/data/generate.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"
#include "flare/nn/optimizer.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "flare/training/train_data.h"
#include "flare/training/trainer.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "flare-bench-XXXXXX").string();
    FLARE_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Scratch() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

RunData MakeData(const fs::path& folder, const std::string& language, std::size_t strings) {
  DatasetConfig config = MakePreset("flare");
  for (SplitConfig& split : config.splits) {
    split.size = split.name == "train" ? strings : split.name == "validation-short" ? 100 : 0;
  }
  GenerateDataset({language, ResolveLanguage(language)}, {folder, 0, config});
  return IdentifyData(folder / language);
}

RunSettings SettingsWith(const RunData& data, const SettingTexts& changes) {
  SettingTexts texts = {{"architecture", "lstm"},   {"loss", "rec"},
                        {"validation", "short"},    {"batch_tokens", "1024"},
                        {"learning_rate", "0.001"}, {"checkpoint_steps", "100000000"},
                        {"max_steps", "100000000"}};
  for (const auto& [key, text] : changes) texts[key] = text;
  return MakeSettings(texts, data.alphabet.size());
}

// A training that can be asked for some steps at a time.
class Course {
 public:
  Course(const RunData& data, const SettingTexts& changes, const fs::path& events)
      : settings_(SettingsWith(data, changes)),
        strings_(OpenTrainStrings(settings_, data)),
        validation_(
            ReadSplitFor(settings_, data, settings_.validation, NeedsNextSymbols(settings_))),
        tracker_(TrackerFor(settings_, data)),
        trainer_(settings_, *strings_, validation_, data.alphabet.size(),
                 tracker_ ? &*tracker_ : nullptr),
        events_(events) {
    trainer_.Begin();
  }

  TrainStrings& strings() { return *strings_; }
  std::size_t steps_per_epoch() const { return trainer_.steps_per_epoch(); }
  // Seconds of the processor.
  double Steps(std::size_t count) {
    const double begin = ProcessCpuSeconds();
    for (std::size_t i = 0; i < count; ++i) trainer_.Step(events_, nullptr);
    return ProcessCpuSeconds() - begin;
  }

 private:
  RunSettings settings_;
  std::unique_ptr<TrainStrings> strings_;
  Split validation_;
  std::optional<StateTracker> tracker_;
  Trainer trainer_;
  EventLog events_;
};

struct Spread {
  explicit Spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    least = values.front();
    median = values[values.size() / 2];
    most = values.back();
  }
  std::string Text() const { return fmt::format("{:.3f} ({:.3f}..{:.3f})", median, least, most); }
  double least, median, most;
};

void BenchFresh(const std::string& architecture, const std::string& loss, std::size_t strings,
                std::size_t rounds) {
  fmt::print("an epoch of {} strings, {} of 64,000 parameters, {}: draw / steps, {} rounds\n",
             strings, architecture, loss, rounds);
  for (const CatalogEntry& entry : Catalog()) {
    const Scratch scratch;
    const RunData data = MakeData(scratch.path(), entry.name, strings);
    Course fixed(data, {{"architecture", architecture}, {"loss", loss}}, scratch.path() / "events");
    const auto fresh =
        OpenTrainStrings(SettingsWith(data, {{"train_data", "fresh"}, {"loss", loss}}), data);
    std::vector<double> ratios, microseconds;
    for (std::size_t round = 0; round < rounds; ++round) {
      const double begin = ProcessCpuSeconds();
      fresh->Epoch(round + 1, 0);
      const double draw = ProcessCpuSeconds() - begin;
      ratios.push_back(draw / fixed.Steps(fixed.steps_per_epoch()));
      microseconds.push_back(1e6 * draw / static_cast<double>(strings));
    }
    fmt::print("{:<28} {:<4} {}  {:8.2f} us/string\n", entry.name, ShortName(entry.language_class),
               Spread(ratios).Text(), Spread(microseconds).median);
    std::fflush(stdout);
  }
}

struct Compared {
  std::string name;
  SettingTexts changes;
  std::string beside;  // the name of what it is compared with
};

void BenchRecipes(const std::string& architecture, std::size_t steps, std::size_t rounds) {
  const std::vector<Compared> all = {
      {"adam, rec", {}, ""},
      {"adam, rec, again", {}, "adam, rec"},
      {"adamw", {{"optimizer", "adamw"}, {"weight_decay", "0.1"}}, "adam, rec"},
      {"sgd, momentum", {{"optimizer", "sgd"}, {"momentum", "0.9"}}, "adam, rec"},
      {"rmsprop", {{"optimizer", "rmsprop"}}, "adam, rec"},
      {"constant", {{"schedule", "constant"}}, "adam, rec"},
      {"cosine, warm-up", {{"schedule", "cosine"}, {"warmup_steps", "100"}}, "adam, rec"},
      {"fresh", {{"train_data", "fresh"}}, "adam, rec"},
      {"rec+st", {{"loss", "rec+st"}, {"st_coefficient", "1"}}, ""},
      {"st", {{"loss", "st"}}, "rec+st"},
      {"st_last", {{"loss", "st_last"}}, "rec+st"},
      {"rec+ns", {{"loss", "rec+ns"}, {"ns_coefficient", "1"}}, ""},
      {"ns", {{"loss", "ns"}}, "rec+ns"},
  };
  const Scratch scratch;
  const RunData data = MakeData(scratch.path(), "parity", 10'000);
  std::vector<std::unique_ptr<Course>> courses;
  for (const Compared& one : all) {
    SettingTexts changes = one.changes;
    changes["architecture"] = architecture;
    courses.push_back(std::make_unique<Course>(
        data, changes, scratch.path() / fmt::format("events{}", courses.size())));
    courses.back()->Steps(5);
  }
  std::vector<std::vector<double>> seconds(all.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) seconds[i].push_back(courses[i]->Steps(steps));
  }
  fmt::print("parity, {} of 64,000 parameters: {} steps of 1024 symbols, {} rounds in turn\n",
             architecture, steps, rounds);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double per_step = 1e3 * Spread(seconds[i]).median / static_cast<double>(steps);
    if (all[i].beside.empty()) {
      fmt::print("{:<20} {:.3f} ms\n", all[i].name, per_step);
      continue;
    }
    const auto base = std::find_if(
        all.begin(), all.end(), [&](const Compared& other) { return other.name == all[i].beside; });
    std::vector<double> ratios;
    for (std::size_t round = 0; round < rounds; ++round) {
      ratios.push_back(seconds[i][round] /
                       seconds[static_cast<std::size_t>(base - all.begin())][round]);
    }
    fmt::print("{:<20} {:.3f} ms, {} of {}\n", all[i].name, per_step, Spread(ratios).Text(),
               all[i].beside);
  }
}

int Main(int argc, char** argv) {
  CLI::App app("What recipes cost");
  std::string architecture = "lstm", loss = "rec";
  std::size_t strings = 2'000, rounds = 7, steps = 20;
  app.add_option("--architecture", architecture);
  app.add_option("--loss", loss);
  app.add_option("--strings", strings);
  app.add_option("--rounds", rounds);
  app.add_option("--steps", steps);
  auto* fresh = app.add_subcommand("fresh");
  auto* recipes = app.add_subcommand("recipes");
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  if (*fresh) BenchFresh(architecture, loss, strings, rounds);
  if (*recipes) BenchRecipes(architecture, steps, rounds);
  return 0;
}

}  // namespace
}  // namespace flare

int main(int argc, char** argv) { return flare::Main(argc, argv); }
