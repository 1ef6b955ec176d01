// Streams of training strings: the dataset's training split in every epoch (`fixed`), or other
// strings in each, drawn by the recipe of that split (`fresh`). They are a catalogue, with a class
// and a line each, in train_data.cc.

#ifndef FLARE_TRAINING_TRAIN_DATA_H_
#define FLARE_TRAINING_TRAIN_DATA_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/runs/run_settings.h"
#include "flare/training/run_data.h"

namespace flare {

class TrainStrings {
 public:
  virtual ~TrainStrings() = default;
  // Returns the strings of an epoch, counted from 1, at a stage of the curriculum. Some may be too
  // long for the stage. They depend on the run's seed, the epoch and the stage alone, and are valid
  // until the next call.
  virtual const Split& Epoch(std::size_t epoch, std::size_t stage) = 0;
  // The number of strings in an epoch that is not cut short.
  virtual std::size_t size() const = 0;
  // The greatest length that a string may have, and what errors call it.
  struct Longest {
    std::size_t length = 0;
    std::string name = "";
  };
  virtual Longest longest() const = 0;
};

struct TrainDataInfo {
  std::string name;
  std::string help;
  // Has every epoch the same strings, and so the same number of minibatches?
  bool repeats;
  // Does it need to know how the dataset was made?
  bool needs_recipe;
  std::unique_ptr<TrainStrings> (*open)(const RunSettings& settings, const RunData& data);
};

// The first is the default.
std::span<const TrainDataInfo> TrainDataCatalog();
// Null if there is no such stream.
const TrainDataInfo* FindTrainData(std::string_view name);

// Does every epoch have the same number of minibatches?
bool EpochsAreAlike(const RunSettings& settings);

// The training strings of a run, in which each stage of its curriculum finds some. Throws
// InputError, and Unavailable if the data is not there.
std::unique_ptr<TrainStrings> OpenTrainStrings(const RunSettings& settings, const RunData& data);

// Returns a stream that gives the same split in every epoch.
std::unique_ptr<TrainStrings> StringsOf(Split split);

// Reads a split with the columns that the loss and its figures need. Throws InputError if there is
// nothing to learn from, and Unavailable as ReadPinnedSplit does.
Split ReadSplitFor(const RunSettings& settings, const RunData& data, const std::string& split,
                   bool next_symbols);

// Throws InputError, with both settings, if a run with these settings could not train on a dataset
// of this recipe, called `dataset`; null if its recipe is not known. Faults that only the strings
// show are found later.
void CheckTrainData(const RunSettings& settings, const Manifest* recipe, const std::string& dataset,
                    const SettingPlaces& places);
// Does the same for a dataset on disk. Accepts one that is missing.
void CheckTrainData(const RunSettings& settings, const PinnedData& data,
                    const SettingPlaces& places);

}  // namespace flare

#endif  // FLARE_TRAINING_TRAIN_DATA_H_
