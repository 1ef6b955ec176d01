#include "flare/data/baselines.h"

#include <fmt/format.h>
#include <linear.h>

#include <algorithm>
#include <map>
#include <set>

#include "flare/automata/matching.h"
#include "flare/automata/state_merging.h"
#include "flare/base/error.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"
#include "flare/languages/catalog.h"
#include "flare/languages/envelope.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestNgram = 3;
constexpr double kCost = 1;

bool MajorityOf(std::size_t positives, std::size_t all, bool on_tie) {
  if (2 * positives == all) return on_tie;
  return 2 * positives > all;
}

// The majority label of each length of training.
class MajorityPerLength {
 public:
  explicit MajorityPerLength(const Split& training) {
    std::size_t positives = 0;
    for (std::size_t i = 0; i < training.size(); ++i) {
      auto& [positive, all] = counts_[training.string(i).size()];
      positive += training.labels[i];
      positives += training.labels[i];
      ++all;
    }
    overall_ = MajorityOf(positives, training.size(), true);
  }
  bool overall() const { return overall_; }
  bool Predict(StringView w) const {
    const auto found = counts_.find(w.size());
    if (found == counts_.end()) return overall_;
    return MajorityOf(found->second.positives, found->second.all, overall_);
  }

 private:
  struct Counts {
    std::size_t positives = 0, all = 0;
  };
  std::map<std::size_t, Counts> counts_;
  bool overall_ = true;
};

SparseVector CountSymbols(StringView w) {
  std::map<std::size_t, double> counts;
  for (const Symbol a : w) ++counts[Index(a)];
  return {counts.begin(), counts.end()};
}

// Features that say which substrings of 1 to 3 symbols, of those in the training split, a string
// has.
class Ngrams {
 public:
  explicit Ngrams(const Split& training) {
    for (std::size_t i = 0; i < training.size(); ++i) {
      ForEach(training.string(i), [&](StringView ngram) {
        ids_.try_emplace(String(ngram.begin(), ngram.end()), ids_.size());
      });
    }
  }
  std::size_t size() const { return ids_.size(); }
  SparseVector Features(StringView w) const {
    std::set<std::size_t> present;
    ForEach(w, [&](StringView ngram) {
      const auto found = ids_.find(String(ngram.begin(), ngram.end()));
      if (found != ids_.end()) present.insert(found->second);
    });
    SparseVector features;
    for (const std::size_t id : present) features.emplace_back(id, 1);
    return features;
  }

 private:
  template <class Visit>
  static void ForEach(StringView w, Visit visit) {
    for (std::size_t begin = 0; begin < w.size(); ++begin) {
      for (std::size_t n = 1; n <= std::min(kLongestNgram, w.size() - begin); ++n) {
        visit(w.subspan(begin, n));
      }
    }
  }
  std::map<String, std::size_t> ids_;
};

template <class Features>
LogisticRegression Fit(const Split& training, std::size_t num_features, Features features) {
  std::vector<SparseVector> examples;
  for (std::size_t i = 0; i < training.size(); ++i) {
    Interruption::Check();
    examples.push_back(features(training.string(i)));
  }
  return LogisticRegression(examples, training.labels, num_features, kCost);
}

template <class Predict>
double Accuracy(const Split& split, Predict predict) {
  if (split.size() == 0) return 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    Interruption::Check();
    right += predict(split.string(i)) == (split.labels[i] != 0) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(split.size());
}

// The splits of a dataset. If its files were recorded, only the recorded splits, which must not
// have changed.
class Splits {
 public:
  Splits(const fs::path& dataset, const Alphabet& alphabet,
         const std::optional<FileHashes>& recorded)
      : dataset_(dataset), alphabet_(alphabet), recorded_(recorded) {}

  std::vector<std::string> names() const {
    return recorded_ ? RecordedSplits(*recorded_) : SplitsIn(dataset_);
  }
  Split Read(const std::string& split) const {
    constexpr const char* kHint = "flare generate --repair restores what it made";
    SplitFiles files;
    if (recorded_) files = RecordedFiles(dataset_, split, *recorded_, kHint);
    return ReadSplit(dataset_, split, alphabet_, kOnlyStrings, files);
  }

 private:
  const fs::path& dataset_;
  const Alphabet& alphabet_;
  const std::optional<FileHashes>& recorded_;
};

std::optional<FileHashes> RecordedIn(const BaselineOptions& options,
                                     const std::optional<Manifest>& manifest) {
  if (options.recorded || !manifest) return options.recorded;
  return ColumnsOf(*manifest);
}

DatasetBaselines Compute(const fs::path& dataset, const Alphabet& alphabet,
                         const std::string& language, const std::optional<Dfa>& format,
                         const std::optional<FileHashes>& recorded, bool learns_automaton) {
  const Splits splits(dataset, alphabet, recorded);
  const Split training = splits.Read(std::string(kTrainSplit));
  if (training.size() == 0) throw InputError(dataset, "its training split is empty");

  const MajorityPerLength majority(training);
  std::optional<Matcher> envelope;
  if (format) envelope.emplace(*format);
  const auto counts = Fit(training, alphabet.size(), CountSymbols);
  const Ngrams ngrams(training);
  const auto by_ngrams =
      Fit(training, ngrams.size(), [&](StringView w) { return ngrams.Features(w); });

  MergedAutomaton learned;
  if (learns_automaton) {
    std::vector<StringView> strings;
    for (std::size_t i = 0; i < training.size(); ++i) strings.push_back(training.string(i));
    learned = LearnByMerging(alphabet, strings, training.labels);
  }
  std::optional<Matcher> merged;
  if (learned.dfa) merged.emplace(*learned.dfa);

  DatasetBaselines baselines{.dataset = dataset.string(), .language = language};
  baselines.merging_stopped = learned.stopped;
  if (learned.dfa) baselines.learned_states = learned.dfa->num_states();
  for (const std::string& name : splits.names()) {
    const Split split = splits.Read(name);
    BaselineRow row;
    row.split = name;
    row.examples = split.size();
    row.majority = Accuracy(split, [&](StringView) { return majority.overall(); });
    row.majority_per_length = Accuracy(split, [&](StringView w) { return majority.Predict(w); });
    if (envelope) {
      row.format_only = Accuracy(split, [&](StringView w) { return envelope->Accepts(w); });
    }
    row.symbol_counts =
        Accuracy(split, [&](StringView w) { return counts.Predict(CountSymbols(w)); });
    row.ngrams =
        Accuracy(split, [&](StringView w) { return by_ngrams.Predict(ngrams.Features(w)); });
    if (merged)
      row.state_merging = Accuracy(split, [&](StringView w) { return merged->Accepts(w); });
    baselines.rows.push_back(std::move(row));
  }
  return baselines;
}

}  // namespace

DatasetBaselines ComputeBaselines(const fs::path& dataset, const DatasetLanguage& context,
                                  const BaselineOptions& options) {
  const NamedLanguage& language = context.language;
  DatasetBaselines baselines =
      Compute(dataset, language.language->alphabet(), language.name, EnvelopeAutomaton(language),
              RecordedIn(options, context.manifest), true);
  const CatalogEntry* built_in = FindInCatalog(language.name);
  if (built_in == nullptr || language.envelope_is_given) baselines.envelope = EnvelopeOf(language);
  return baselines;
}

DatasetBaselines ComputeBaselines(const fs::path& dataset, const BaselineOptions& options) {
  const auto manifest = ReadManifest(dataset);
  const auto format = FindFormat(dataset, options.resolve);
  const Alphabet alphabet = format ? format->automaton.alphabet() : ReadAlphabet(dataset);
  DatasetBaselines baselines = Compute(dataset, alphabet, "unknown",
                                       format ? std::optional(format->automaton) : std::nullopt,
                                       RecordedIn(options, manifest), true);
  if (format) baselines.envelope = format->pattern;
  return baselines;
}

std::vector<BaselineRow> TrivialBaselines(const fs::path& dataset, const Alphabet& alphabet,
                                          const std::optional<Dfa>& format,
                                          const BaselineOptions& options) {
  const auto recorded = RecordedIn(options, ReadManifest(dataset));
  return Compute(dataset, alphabet, "", format, recorded, false).rows;
}

std::string FormatBaselines(const std::vector<DatasetBaselines>& all) {
  std::size_t width = 7;
  for (const auto& baselines : all) width = std::max(width, baselines.dataset.size());
  std::string text = fmt::format(
      "{:<{}}  {:<20} {:>8}  {:>8}  {:>10}  {:>6}  {:>6}  {:>7}  {:>7}\n", "DATASET", width,
      "SPLIT", "EXAMPLES", "MAJORITY", "PER LENGTH", "FORMAT", "COUNTS", "N-GRAMS", "MERGING");
  const auto accuracy = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : "-";
  };
  for (const auto& baselines : all) {
    for (const BaselineRow& row : baselines.rows) {
      text += fmt::format(
          "{:<{}}  {:<20} {:>8}  {:>8.4f}  {:>10.4f}  {:>6}  {:>6.4f}  {:>7.4f}  {:>7}\n",
          baselines.dataset, width, row.split, row.examples, row.majority, row.majority_per_length,
          accuracy(row.format_only), row.symbol_counts, row.ngrams, accuracy(row.state_merging));
    }
  }
  for (const auto& baselines : all) {
    if (!baselines.envelope.empty()) {
      text += fmt::format("{}: format is {}\n", baselines.dataset, baselines.envelope);
    }
    text += fmt::format("{}: merging {}\n", baselines.dataset,
                        baselines.learned_states
                            ? "learned " + Counted(*baselines.learned_states, "state")
                            : baselines.merging_stopped);
  }
  return text;
}

Json BaselinesToJson(const DatasetBaselines& baselines) {
  Json splits = Json::object();
  for (const BaselineRow& row : baselines.rows) {
    splits[row.split] = {{"examples", row.examples},
                         {"majority", row.majority},
                         {"majority_per_length", row.majority_per_length},
                         {"format_only", nullptr},
                         {"symbol_counts", row.symbol_counts},
                         {"ngrams", row.ngrams},
                         {"state_merging", nullptr}};
    if (row.format_only) splits[row.split]["format_only"] = *row.format_only;
    if (row.state_merging) splits[row.split]["state_merging"] = *row.state_merging;
  }
  Json json = {
      {"dataset", baselines.dataset}, {"language", baselines.language}, {"splits", splits}};
  if (!baselines.envelope.empty()) json["envelope"] = baselines.envelope;
  json["state_merging"] = {{"states", nullptr}};
  if (baselines.learned_states) json["state_merging"]["states"] = *baselines.learned_states;
  if (!baselines.merging_stopped.empty())
    json["state_merging"]["stopped"] = baselines.merging_stopped;
  if (!baselines.data_sha256.empty()) json["data_sha256"] = baselines.data_sha256;
  return json;
}

LogisticRegression::LogisticRegression(const std::vector<SparseVector>& examples,
                                       const std::vector<std::uint8_t>& labels,
                                       std::size_t num_features, double cost)
    : weights_(num_features, 0) {
  FLARE_CHECK(!examples.empty() && examples.size() == labels.size());
  // If all labels are the same, there is nothing to fit, and liblinear requires two classes.
  if (std::count(labels.begin(), labels.end(), labels[0]) == std::ssize(labels)) {
    bias_ = labels[0] != 0 ? 1 : -1;
    return;
  }
  // liblinear counts features from 1, wants the bias as a last feature, and -1 as an end mark.
  const int bias_index = static_cast<int>(num_features) + 1;
  std::vector<std::vector<feature_node>> nodes;
  std::vector<feature_node*> rows;
  std::vector<double> targets;
  nodes.reserve(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    auto& row = nodes.emplace_back();
    for (const auto& [index, value] : examples[i]) {
      row.push_back({static_cast<int>(index) + 1, value});
    }
    row.push_back({bias_index, 1});
    row.push_back({-1, 0});
    rows.push_back(row.data());
    targets.push_back(labels[i] != 0 ? 1 : -1);
  }
  problem fit{};
  fit.l = static_cast<int>(examples.size());
  fit.n = bias_index;
  fit.y = targets.data();
  fit.x = rows.data();
  fit.bias = 1;
  parameter settings{};
  settings.solver_type = L2R_LR;
  settings.eps = 1e-4;
  settings.C = cost;
  // Set once: all of liblinear shares it, and other threads may be fitting.
  [[maybe_unused]] static const bool silenced = [] {
    set_print_string_function([](const char*) {});
    return true;
  }();
  FLARE_CHECK(check_parameter(&fit, &settings) == nullptr);
  model* fitted = train(&fit, &settings);
  // A positive value of w·x stands for liblinear's first class, whichever that is.
  const double sign = fitted->label[0] == 1 ? 1 : -1;
  for (std::size_t i = 0; i < num_features; ++i) weights_[i] = sign * fitted->w[i];
  bias_ = sign * fitted->w[num_features];
  free_and_destroy_model(&fitted);
}

bool LogisticRegression::Predict(const SparseVector& features) const {
  double sum = bias_;
  for (const auto& [index, value] : features) sum += weights_[index] * value;
  return sum >= 0;
}

}  // namespace flare
