// Values that somebody has published, to be shown beside ours where the two can be compared: with
// the same language, splits, settings and budget. A grid names their file (runs/report_spec.h):
//
//   {"label": "paper",                          what tables call them
//    "paper": "...", "version": "...",          where they are from
//    "comparable": {                            what a run must have had
//      "data_preset": "flare",                  the recipe of its data
//      "losses": ["rec", "rec+ns"],             no other loss may have been tried; missing: any
//      "settings": {"max_epochs": 100}},        what differs from the defaults; what is drawn by
//                                               default must have been drawn
//    "values": [
//      {"language": "parity", "variant": "lstm", "metric": "inductive_bias",
//       "settings": {"validation": "short", "budget": 64000, "loss": "rec"},
//       "value": 0.9, "spread": 0.2, "runs": 10, "source": "Table 2"}, ...]}
//
// The metric is the name of a column of the main table; "max", of the table of model sizes; or
// "perfect": 1 if a run got everything right.

#ifndef FLARE_REPORT_PUBLISHED_H_
#define FLARE_REPORT_PUBLISHED_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "flare/runs/run_settings.h"

namespace flare::report {

struct PublishedValue {
  double value = 0;
  std::optional<double> spread = {};  // a standard deviation, if the value is a mean
  std::size_t runs = 0;               // that it is of
  std::string loss = {};              // that it is of; empty if nobody says so
};

class Published {
 public:
  // `file` is a path, or "built-in:" and one of runs/grid.h. Throws InputError.
  static std::shared_ptr<const Published> Read(const std::string& file);

  // Null if there is none.
  const PublishedValue* Find(const std::string& metric, const std::string& language,
                             const std::string& variant, std::size_t budget) const;
  // The budgets of which there is one.
  std::set<std::size_t> Budgets(const std::string& metric, const std::string& language,
                                const std::string& variant) const;
  bool Has(const std::string& language, const std::string& variant) const {
    return known_.contains({language, variant});
  }
  bool HasLoss(const std::string& loss) const { return losses_.empty() || losses_.contains(loss); }

  const std::string& label() const { return label_; }
  const std::string& data_preset() const { return data_preset_; }
  const SettingTexts& settings() const { return settings_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::size_t>;

  static Published Parse(std::string_view text, const std::string& where);

  std::string label_, data_preset_;
  SettingTexts settings_;
  std::set<std::string> losses_;
  std::set<std::pair<std::string, std::string>> known_;
  std::map<Key, PublishedValue> values_;
};

// Returns by how many standard errors a mean of `runs` runs is above a published one:
//   (ours − theirs) / (s · √(1/n + 1/N)),
// where s is the published standard deviation, of at least 0.01, as values are published with two
// decimals. Requires: a published spread, at least one run of both.
double StandardErrors(double ours, std::size_t runs, const PublishedValue& published);

}  // namespace flare::report

#endif  // FLARE_REPORT_PUBLISHED_H_
