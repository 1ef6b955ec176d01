// Datasets: reading, making and verifying them. ../flarelang/dataset.py makes classes of this.

#include <algorithm>
#include <limits>
#include <optional>

#include "flare/data/baselines.h"
#include "flare/data/dataset_config.h"
#include "flare/data/dataset_language.h"
#include "flare/data/flare_files.h"
#include "flare/data/generate.h"
#include "flare/data/manifest.h"
#include "flare/data/verify.h"
#include "interrupts.h"
#include "language.h"
#include "next_symbols.h"

namespace flare::python {
namespace {

namespace fs = std::filesystem;

template <class T>
py::array_t<T> PerExample(const Split& split, const std::vector<T>& values, bool of_label, T none) {
  py::array_t<T> column(static_cast<py::ssize_t>(split.size()));
  T* element = column.mutable_data();
  std::size_t next = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    element[i] = (split.labels[i] != 0) == of_label ? values[next++] : none;
  }
  return column;
}

py::array_t<std::int64_t> NumEdits(const Split& split) {
  std::vector<std::int64_t> edits;
  for (const auto& count : split.num_edits) edits.push_back(count ? std::int64_t(*count) : -1);
  return PerExample<std::int64_t>(split, edits, false, -1);
}

py::array_t<std::int64_t> EditDistanceColumn(const Split& split) {
  const std::vector<std::int64_t> distances(split.edit_distances.begin(),
                                            split.edit_distances.end());
  return PerExample<std::int64_t>(split, distances, false, -1);
}

// Which column of a split's files is read; the others cost nothing.
ReadOptions Only(const std::string& column) {
  return {.next_symbols = column == "next_symbols",
          .log_probabilities = column == "log_probabilities",
          .num_edits = column == "num_edits",
          .edit_distances = column == "edit_distances"};
}

// The files that the manifest records; nothing of a dataset without one, as published ones are.
std::optional<FileHashes> RecordedIn(const fs::path& dataset) {
  const auto manifest = ReadManifest(dataset);
  if (!manifest) return std::nullopt;
  return ColumnsOf(*manifest);
}

// Those that the manifest records: no run trains on others.
std::vector<std::string> Splits(const fs::path& dataset) {
  const auto recorded = RecordedIn(dataset);
  return recorded ? RecordedSplits(*recorded) : SplitsIn(dataset);
}

// What is read has the hash that the manifest records.
Split ReadUnlocked(const fs::path& dataset, const std::string& name, const Alphabet& alphabet,
                   const ReadOptions& options) {
  const py::gil_scoped_release unlock;
  const auto recorded = RecordedIn(dataset);
  SplitFiles files;
  if (recorded) {
    files =
        RecordedFiles(dataset, name, *recorded, "flare generate --repair restores what it made");
  }
  return ReadSplit(dataset, name, alphabet, options, files);
}

// The strings and labels of a split.
py::tuple ReadStrings(const fs::path& dataset, const std::string& name) {
  const auto alphabet = std::make_shared<const Alphabet>(ReadAlphabet(dataset));
  Split split = ReadUnlocked(dataset, name, *alphabet, kOnlyStrings);
  std::vector<std::int64_t> offsets(split.offsets.begin(), split.offsets.end());
  const py::array_t<std::uint8_t> labels = ArrayOf<std::uint8_t>(std::move(split.labels));
  return py::make_tuple(Strings(alphabet, std::move(split.symbols), std::move(offsets)),
                        labels.attr("view")("bool"));
}

// One of its other columns; None if the dataset has no such file.
py::object ReadColumn(const fs::path& dataset, const std::string& name, const std::string& column) {
  const Alphabet alphabet = ReadAlphabet(dataset);
  const Split split = ReadUnlocked(dataset, name, alphabet, Only(column));
  if (split.has_next_symbols) return py::cast(NextSymbolsOf(split));
  if (split.has_num_edits) return NumEdits(split);
  if (split.has_edit_distances) return EditDistanceColumn(split);
  if (!split.has_log_probabilities) return py::none();
  return PerExample<double>(split, split.log_probabilities, true,
                            std::numeric_limits<double>::quiet_NaN());
}

// A setting as --set takes it.
std::string SettingText(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  return py::str(value);
}

std::vector<std::string> Generate(const BoundLanguage& language, const std::string& name,
                                  const fs::path& out, std::uint64_t seed,
                                  const std::string& preset, const py::dict& settings) {
  GenerateOptions options{out, seed, MakePreset(preset)};
  for (const auto& [key, value] : settings) {
    ApplySetting(py::str(key), SettingText(value), "settings", options.config);
  }
  const DatasetRequest request{name, language.again()};
  const py::gil_scoped_release unlock;
  const InterruptibleWork work;
  return GenerateDataset(request, options).notes;
}

BoundLanguage LanguageOf(const fs::path& dataset, const std::string& text) {
  return BoundLanguage(FindDatasetLanguage(dataset, text).language);
}

// The table, the same as JSON, and whether all is well.
py::tuple Verify(const fs::path& dataset, const std::string& language, std::size_t examples) {
  std::vector<SplitVerification> rows;
  {
    const py::gil_scoped_release unlock;
    const InterruptibleWork work;
    rows = VerifyDataset(dataset, FindDatasetLanguage(dataset, language), examples);
  }
  const bool ok = std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.ok(); });
  return py::make_tuple(FormatVerification(rows), VerificationToJson(rows).dump(), ok);
}

py::tuple Baselines(const fs::path& dataset, const std::string& language) {
  const py::gil_scoped_release unlock;
  const InterruptibleWork work;
  const bool known = !language.empty() || HasKnownLanguage(dataset);
  const DatasetBaselines baselines =
      known ? ComputeBaselines(dataset, FindDatasetLanguage(dataset, language))
            : ComputeBaselines(dataset);
  const py::gil_scoped_acquire lock;
  return py::make_tuple(FormatBaselines({baselines}), BaselinesToJson(baselines).dump());
}

}  // namespace

void BindData(py::module_& module) {
  module.def("read_alphabet",
             [](const fs::path& dataset) { return ReadAlphabet(dataset).names(); });
  module.def("splits_in", &Splits);
  module.def("read_strings", &ReadStrings);
  module.def("read_column", &ReadColumn);
  module.def("generate", &Generate);
  module.def("dataset_language", &LanguageOf);
  module.def("verify", &Verify);
  module.def("baselines", &Baselines);
}

}  // namespace flare::python
