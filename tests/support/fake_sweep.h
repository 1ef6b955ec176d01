// Sweep directories without any training: for tests of what reads them.

#ifndef FLARE_TESTS_SUPPORT_FAKE_SWEEP_H_
#define FLARE_TESTS_SUPPORT_FAKE_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/runs/coordinates.h"
#include "flare/runs/external.h"
#include "flare/runs/report_spec.h"
#include "flare/runs/sweep_file.h"

namespace flare {

// What papers/butoi-2025/grid.toml says about its report.
ReportSpec PapersReport();

struct FakeGrid {
  std::vector<std::string> languages = {"parity"};
  std::vector<std::string> variants = {"rnn", "lstm", "transformer"};
  std::vector<std::string> losses = {"rec", "rec+lm", "rec+ns", "rec+lm+ns"};
  std::vector<std::string> validations = {"short", "long"};
  std::vector<std::size_t> budgets = {64'000};
  std::size_t trials = 2;
  std::string name = "fake";
  std::uint64_t seed = 0;
  SettingTexts settings = {};                      // of every run
  SettingTexts data = {};                          // settings of the datasets
  std::map<std::string, std::string> labels = {};  // by variant
  // By language; empty as in version 0.1.
  std::map<std::string, std::string> data_sha256 = {};
  bool data_is_of_recipe = true;  // or nobody says so
  ReportSpec report = PapersReport();
  std::vector<External> externals = {};  // variants of other programs
};

struct FakeRun {
  std::string language = "parity";
  std::string variant = "rnn";
  std::string loss = "rec";
  std::string validation = "short";
  std::size_t budget = 64'000;
  std::size_t trial = 1;

  double test = 0.5;                                               // accuracies
  std::optional<double> short_test = 0.875;                        // nothing: no such split
  std::vector<std::pair<std::string, double>> further_tests = {};  // by split
  double train = 0.9375;
  double validation_accuracy = 0.75;
  double validation_cross_entropy = 0.5;
  std::int64_t longest_perfect_length = -1;
  bool diverged = false;
  bool has_metrics = true;  // a diverged run may have none
  // On strings of wrong and of right format, of the test set; the latter are members.
  std::optional<std::pair<std::size_t, std::size_t>> wrong_answers = {};
  // Of positions and of strings, on the test set.
  std::optional<std::pair<double, double>> next_symbol_accuracy = {};
  bool recognizes = true;      // or the loss has no recognition, and no split has its figures
  bool counts_errors = false;  // are there false positives, as many as the accuracies say?
  std::size_t epochs = 20;
  double seconds = 36;
  std::optional<double> cpu_seconds = 35;
  std::string arithmetic = "";     // empty: today's
  std::string native_target = "";  // if the target is native
  std::string data = "";           // what tells one dataset from another; empty: the language's

  Coordinates at() const { return {language, variant, loss, validation, budget, trial}; }
};

// The SHA-256 that the data of fake runs has.
std::string FakeDataSha256(const std::string& data);

class FakeSweep {
 public:
  FakeSweep(const std::filesystem::path& directory, const FakeGrid& grid);

  const std::filesystem::path& directory() const { return sweep_.out; }
  std::filesystem::path RunPath(const FakeRun& run) const { return sweep_.RunPath(run.at()); }
  // config.json and result.json; no curves.
  void Add(const FakeRun& run);
  void AddFailure(const FakeRun& run, const std::string& reason);
  void AddRunning(const FakeRun& run);
  void AddBaselines(const std::string& language, std::optional<double> format_only,
                    double majority_per_length, double ngrams);

 private:
  Sweep sweep_;
};

// A sweep with everything that a real one has (curves, examples, datasets' test strings, hardest
// examples), whose numbers are drawn so that pages and figures look plausible: some runs learn,
// some do not, a few diverge, fail or are missing if `partial`. Bulky files are written once per
// language and linked.
void WritePlausibleSweep(const std::filesystem::path& directory, const FakeGrid& grid,
                         bool partial);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_FAKE_SWEEP_H_
