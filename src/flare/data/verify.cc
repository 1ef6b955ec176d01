#include "flare/data/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/long_work.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/data/draw.h"
#include "flare/data/flare_files.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

enum CheckIndex : std::size_t {
  kLabels,
  kNextSymbols,
  kLogProbabilities,
  kEditDistances,
  kLengths,
  kDisjoint,
  kSizes,
  kHashes,
};
constexpr const char* kCheckNames[] = {"labels",  "next symbols", "log p", "edit distances",
                                       "lengths", "disjoint",     "sizes", "hashes"};

// Both we and the published files print at least 12 digits.
bool SameLogarithm(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a));
}

bool IsInSplit(const fs::path& file, const std::string& split) {
  return file.parent_path() == (split == kTrainSplit ? "" : SplitPath(split));
}

// Reads each file of a dataset once, so that all checks of a file see the same bytes.
class DatasetFiles {
 public:
  explicit DatasetFiles(const fs::path& dataset) : dataset_(dataset) {}

  // Returns the contents of a file by its path relative to the dataset; nothing if it is not there.
  const std::optional<std::string>& Get(const fs::path& file) {
    const auto known = contents_.find(file.lexically_normal());
    if (known != contents_.end()) return known->second;
    std::optional<std::string> bytes;
    if (fs::exists(dataset_ / file)) bytes = ReadRegularFile(dataset_ / file);
    return contents_[file.lexically_normal()] = std::move(bytes);
  }
  SplitFiles Of(const std::string& split) {
    return [this, split](const char* file) { return Get(SplitPath(split) / file); };
  }
  void Forget(const std::string& split) {
    std::erase_if(contents_, [&](const auto& file) { return IsInSplit(file.first, split); });
  }

 private:
  const fs::path& dataset_;
  std::map<fs::path, std::optional<std::string>> contents_;
};

class SplitVerifier {
 public:
  SplitVerifier(const fs::path& dataset, DatasetFiles& files, const DatasetLanguage& context,
                std::string split, std::size_t most_examples)
      : dataset_(dataset), files_(files), context_(context), most_examples_(most_examples) {
    row_.dataset = dataset.string();
    row_.split = std::move(split);
    for (const char* name : kCheckNames) row_.checks.push_back({.name = name});
  }

  SplitVerification Verify(const StringSet& training) {
    if (context_.manifest) {
      CheckHashes([&](const fs::path& file) { return IsInSplit(file, row_.split); });
    }
    try {
      const Split split = ReadSplit(dataset_, row_.split, context_.language.language->alphabet(),
                                    {}, files_.Of(row_.split));
      CheckExamples(split, training);
    } catch (const InputError& error) {
      row_.unreadable = error.what();
    }
    return std::move(row_);
  }

  // The hashes of the manifest's files that are in none of these splits.
  SplitVerification VerifyOtherFiles(const std::vector<std::string>& splits) {
    CheckHashes([&](const fs::path& file) {
      return std::none_of(splits.begin(), splits.end(),
                          [&](const std::string& split) { return IsInSplit(file, split); });
    });
    return std::move(row_);
  }

 private:
  template <class Describe>
  void Record(CheckIndex index, bool right, Describe describe) {
    Check& check = row_.checks[index];
    ++check.checked;
    if (right) return;
    ++check.wrong;
    if (check.examples.size() < most_examples_) {
      check.examples.push_back(fmt::format("{}: {}", check.name, describe()));
    }
  }

  // "17: label 1, recomputed 0: 0 1 1 ...": the line of main.tok, what, the string.
  std::string Describe(const Split& split, std::size_t i, const std::string& what) const {
    const std::string text = context_.language.language->alphabet().Format(split.string(i));
    return fmt::format(
        "{}: {}: {}",
        FileLine((dataset_ / SplitPath(row_.split) / kMainFile).lexically_normal(), i + 1), what,
        Quoted(text));
  }

  template <class Belongs>
  void CheckHashes(Belongs belongs) {
    for (const auto& [path, file] : context_.manifest->files) {
      if (!belongs(fs::path(path))) continue;
      const auto& bytes = files_.Get(path);
      const std::string found = bytes ? Sha256(*bytes) : "missing";
      Record(kHashes, found == file.sha256, [&, &p = path, &f = file] {
        return fmt::format("{}: {}, recorded {}", (dataset_ / p).string(), found, f.sha256);
      });
    }
  }

  void CheckExamples(const Split& split, const StringSet& training) {
    const Language& language = *context_.language.language;
    const SplitConfig* config = context_.FindSplit(row_.split);
    const auto density = FindDensity(config);
    if (context_.manifest) {
      Record(kSizes, config != nullptr && config->size == split.size(), [&] {
        return config == nullptr ? fmt::format("{}: not a split of the manifest", row_.split)
                                 : fmt::format("{}: {} examples, recorded {}", row_.split,
                                               split.size(), config->size);
      });
    }
    row_.checks[kLogProbabilities].unchecked =
        split.has_log_probabilities && density == nullptr && !split.log_probabilities.empty();
    NextSymbolSets sets(language.alphabet().size());
    row_.examples = split.size();
    std::size_t first_set = 0, positive = 0, negative = 0;
    for (std::size_t i = 0; i < split.size(); ++i) {
      Interruption::Check();
      const StringView w = split.string(i);
      const bool label = split.labels[i] != 0, member = language.Contains(w);
      const auto describe = [&](const std::string& what) {
        return [this, &split, i, what] { return Describe(split, i, what); };
      };
      Record(kLabels, label == member,
             describe(fmt::format("label {}, recomputed {}", label ? 1 : 0, member ? 1 : 0)));
      if (config != nullptr) {
        Record(kLengths, config->lengths.Contains(w.size()),
               describe(fmt::format("length {} is outside [{}, {}]", w.size(), config->lengths.min,
                                    config->lengths.max)));
      }
      if (config != nullptr && config->kind == SplitKind::kHeldOut) {
        Record(kDisjoint, training.find(String(w.begin(), w.end())) == training.end(),
               describe("also in training or validation"));
      }
      if (label) {
        if (split.has_next_symbols && member) {
          language.NextSymbols(w, sets);
          bool same = true;
          for (std::size_t t = 0; t <= w.size() && same; ++t) {
            same = std::ranges::equal(sets.Words(t), split.next_symbols.Words(first_set + t));
          }
          Record(kNextSymbols, same, describe("other next-symbol sets"));
        }
        if (split.has_log_probabilities && density != nullptr && member) {
          const double told = split.log_probabilities[positive];
          // A string outside the range has no probability under the split's law.
          const double computed = config->lengths.Contains(w.size())
                                      ? density->LogProbability(w)
                                      : -std::numeric_limits<double>::infinity();
          Record(kLogProbabilities, SameLogarithm(computed, told),
                 describe(fmt::format("log p {:.12g}, recomputed {:.12g}", told, computed)));
        }
        first_set += w.size() + 1;
        ++positive;
      } else {
        if (split.has_edit_distances && language.edit_metric() != nullptr) {
          const std::size_t told = split.edit_distances[negative];
          const std::size_t computed = language.edit_metric()->Distance(w);
          Record(kEditDistances, told == computed,
                 describe(fmt::format("edit distance {}, recomputed {}", told, computed)));
        }
        ++negative;
      }
    }
    row_.positives = positive;
  }

  // The law of the split's members, or null if it is not known.
  std::unique_ptr<Density> FindDensity(const SplitConfig* config) const {
    if (config == nullptr) return nullptr;
    // The manifest claims how long strings may be, which must not make us fill larger tables than
    // this.
    constexpr std::size_t kLargestTable = std::size_t{1} << 23;
    const Dfa* dfa = context_.language.language->dfa();
    const std::size_t per_length = dfa == nullptr ? 1 : dfa->num_transitions() + 3;
    if (config->lengths.max > kLargestTable / per_length) return nullptr;
    try {
      return MakeDensity(context_.language, *config);
    } catch (const InputError&) {
      return nullptr;  // no member fits, or its tables would be too large: shown as unchecked
    }
  }

  const fs::path& dataset_;
  DatasetFiles& files_;
  const DatasetLanguage& context_;
  std::size_t most_examples_;
  SplitVerification row_;
};

// The strings of training and validation, which a held-out split must not have.
StringSet TrainingStrings(const fs::path& dataset, DatasetFiles& files,
                          const DatasetLanguage& context, const std::vector<std::string>& splits) {
  StringSet strings;
  for (const std::string& name : splits) {
    const SplitConfig* config = context.FindSplit(name);
    if (config == nullptr || !IsSeenInTraining(*config)) continue;
    try {
      const Split split = ReadSplit(dataset, name, context.language.language->alphabet(),
                                    kOnlyStrings, files.Of(name));
      for (std::size_t i = 0; i < split.size(); ++i) {
        const StringView w = split.string(i);
        strings.emplace(w.begin(), w.end());
      }
    } catch (const InputError&) {
      continue;  // reported in the row of that split
    }
  }
  return strings;
}

std::string Cell(const Check& check) {
  if (check.unchecked) return "unchecked";
  if (check.checked == 0) return "-";
  if (check.wrong == 0) return "ok";
  return fmt::format("{} wrong", check.wrong);
}

}  // namespace

bool SplitVerification::ok() const {
  return unreadable.empty() &&
         std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.wrong == 0; });
}

std::vector<SplitVerification> VerifyDataset(const fs::path& dataset,
                                             const DatasetLanguage& language,
                                             std::size_t most_examples) {
  std::vector<std::string> splits = SplitsIn(dataset);
  if (language.manifest) {
    // Splits that the manifest lists and that are gone are reported, too.
    for (const SplitConfig& split : language.config.splits) {
      const auto& omitted = language.manifest->omitted;
      const bool made = split.size > 0 &&
                        (split.kind != SplitKind::kEditDistance ||
                         language.language.language->edit_metric() != nullptr) &&
                        std::none_of(omitted.begin(), omitted.end(),
                                     [&](const auto& other) { return other.name == split.name; });
      if (made && std::find(splits.begin(), splits.end(), split.name) == splits.end()) {
        splits.push_back(split.name);
      }
    }
  }
  DatasetFiles files(dataset);
  const StringSet training = TrainingStrings(dataset, files, language, splits);
  std::vector<SplitVerification> rows;
  for (const std::string& split : splits) {
    rows.push_back(SplitVerifier(dataset, files, language, split, most_examples).Verify(training));
    files.Forget(split);
  }
  if (language.manifest) {
    // Files that belong to no split, such as MLRegTest's text.
    auto others = SplitVerifier(dataset, files, language, "(other files)", most_examples)
                      .VerifyOtherFiles(splits);
    if (others.checks[kHashes].checked > 0) rows.push_back(std::move(others));
  }
  return rows;
}

std::string FormatVerification(const std::vector<SplitVerification>& rows) {
  std::size_t width = 7;
  for (const SplitVerification& row : rows) width = std::max(width, row.dataset.size());
  std::string text =
      fmt::format("{:<{}}  {:<20} {:>8} {:>9}", "DATASET", width, "SPLIT", "EXAMPLES", "POSITIVES");
  for (const char* name : kCheckNames) {
    std::string title = name;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += fmt::format("  {:<14}", title);
  }
  const auto end_line = [&] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  end_line();
  std::string details;
  for (const SplitVerification& row : rows) {
    text += fmt::format("{:<{}}  {:<20} {:>8} {:>9}", row.dataset, width, row.split, row.examples,
                        row.positives);
    for (const Check& check : row.checks) {
      text +=
          fmt::format("  {:<14}", row.unreadable.empty() || check.checked > 0 ? Cell(check) : "?");
      for (const std::string& example : check.examples) details += example + "\n";
    }
    end_line();
    if (!row.unreadable.empty()) details += "unreadable: " + row.unreadable + "\n";
  }
  return details.empty() ? text : text + "\n" + details;
}

Json VerificationToJson(const std::vector<SplitVerification>& rows) {
  auto json = Json::array();
  for (const SplitVerification& row : rows) {
    Json checks = Json::object();
    for (const Check& check : row.checks) {
      std::string key = check.name;
      std::replace(key.begin(), key.end(), ' ', '_');
      checks[key] = {
          {"checked", check.checked}, {"wrong", check.wrong}, {"examples", check.examples}};
    }
    Json entry = {{"dataset", row.dataset},     {"split", row.split}, {"examples", row.examples},
                  {"positives", row.positives}, {"ok", row.ok()},     {"checks", checks}};
    if (!row.unreadable.empty()) entry["unreadable"] = row.unreadable;
    json.push_back(entry);
  }
  return json;
}

}  // namespace flare
