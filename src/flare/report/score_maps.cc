#include "flare/report/score_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "flare/base/text.h"
#include "flare/report/by_length.h"
#include "flare/report/numeric_axes.h"
#include "flare/report/statistics.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// A place on an axis, and what it is called.
using Places = std::map<double, std::string>;

std::vector<std::string> TextsIn(const Places& places) {
  std::vector<std::string> texts;
  for (const auto& [place, text] : places) texts.push_back(text);
  return texts;
}

std::size_t PlaceAmong(const Places& places, double place) {
  return static_cast<std::size_t>(std::distance(places.begin(), places.find(place)));
}

// Fills in a mean, and counts its runs.
void Put(double mean, std::size_t runs, std::size_t y, std::size_t x, ScoreMap& map) {
  map.values[y][x] = mean;
  map.least_runs = map.most_runs == 0 ? runs : std::min(map.least_runs, runs);
  map.most_runs = std::max(map.most_runs, runs);
}

// An empty map with these axes.
ScoreMap MapOver(const std::pair<std::string, Places>& y, const std::pair<std::string, Places>& x) {
  ScoreMap map;
  map.kind = FileStem(y.first) + "-by-" + FileStem(x.first);
  map.y_title = y.first;
  map.x_title = x.first;
  map.y = TextsIn(y.second);
  map.x = TextsIn(x.second);
  map.values.assign(map.y.size(), std::vector<std::optional<double>>(map.x.size()));
  return map;
}

void Finish(const Study& study, const std::string& subject, const std::string& model, ScoreMap map,
            std::vector<ScoreMap>& all) {
  if (map.most_runs == 0) return;
  std::vector<double> values;
  for (const auto& row : map.values) {
    for (const auto& value : row) {
      if (value) values.push_back(*value);
    }
  }
  map.scale = ScaleOf(study.metric, values);
  map.decimals = study.metric.decimals;
  map.title = fmt::format("{}, {}", subject, model);
  if (study.axes.losses.size() > 1) map.title += ", " + LossTitle(map.loss);
  if (study.axes.validations.size() > 1) map.title += ", " + map.validation;
  map.place = map.title;
  map.title += map.least_runs == map.most_runs
                   ? fmt::format(" (n = {})", map.most_runs)
                   : fmt::format(" (n = {} to {})", map.least_runs, map.most_runs);
  all.push_back(std::move(map));
}

template <class Use>
void ForEachLossAndValidation(const Study& study, Use use) {
  for (const std::string& loss : study.axes.losses) {
    for (const std::string& validation : study.axes.validations) use(loss, validation);
  }
}

void AddSettingBySetting(const Selection& selection, const std::string& a, const std::string& b,
                         std::vector<ScoreMap>& all) {
  const Study& study = selection.study();
  for (const Family& family : FamiliesOf(study.cohorts, {a, b})) {
    std::pair<std::string, Places> y{a, {}}, x{b, {}};
    std::map<std::string, std::pair<double, double>> places;
    for (const std::string& cohort : family.cohorts) {
      const auto at_y = NumberOf(study.CohortOf(cohort), a),
                 at_x = NumberOf(study.CohortOf(cohort), b);
      if (!at_y || !at_x) continue;
      places[cohort] = {*at_y, *at_x};
      y.second[*at_y] = fmt::format("{:g}", *at_y);
      x.second[*at_x] = fmt::format("{:g}", *at_x);
    }
    if (y.second.size() < 2 || x.second.size() < 2) continue;
    for (const std::string& language : study.axes.languages) {
      ForEachLossAndValidation(study, [&](const std::string& loss, const std::string& validation) {
        ScoreMap map = MapOver(y, x);
        map.language = language;
        map.family = study.FamilyOf(family.cohorts[0]);
        map.loss = loss;
        map.validation = validation;
        for (const auto& [cohort, place] : places) {
          const RunGroup* group =
              selection.Find(language, cohort, loss, validation, study.MainBudget());
          const std::vector<double> scores =
              group == nullptr ? std::vector<double>() : group->Scores();
          if (scores.empty()) continue;
          Put(Mean(scores), scores.size(), PlaceAmong(y.second, place.first),
              PlaceAmong(x.second, place.second), map);
        }
        Finish(study, LanguageTitle(language), CohortTitle(family.shown, study.cohorts, false),
               std::move(map), all);
      });
    }
  }
}

// Languages whose names differ in one number only: by that number.
struct LanguageSeries {
  std::string stem;                         // "dyck-…-2"
  std::map<double, std::string> languages;  // at least two
};

std::vector<LanguageSeries> SeriesOfLanguages(const std::vector<std::string>& languages) {
  std::map<std::string, std::map<double, std::string>> by_stem;
  for (const std::string& name : languages) {
    for (std::size_t begin = 0; begin < name.size();) {
      std::size_t end = begin;
      while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
      constexpr std::size_t kMostDigits = 9;
      if (end > begin && end - begin <= kMostDigits) {
        const double number = std::stod(name.substr(begin, end - begin));
        by_stem[name.substr(0, begin) + "…" + name.substr(end)].try_emplace(number, name);
      }
      begin = std::max(end, begin + 1);
    }
  }
  std::vector<LanguageSeries> series;
  for (auto& [stem, members] : by_stem) {
    if (members.size() > 1) series.push_back({stem, std::move(members)});
  }
  return series;
}

void AddSettingByLanguage(const Selection& selection, const NumericAxis& axis,
                          const LanguageSeries& series, std::vector<ScoreMap>& all) {
  const Study& study = selection.study();
  for (const AxisCurve& curve : axis.curves) {
    std::pair<std::string, Places> y{axis.setting, {}}, x{series.stem, {}};
    for (const AxisCurve::Point& point : curve.points) {
      y.second[point.value] = fmt::format("{:g}", point.value);
    }
    for (const auto& [number, language] : series.languages) {
      x.second[number] = fmt::format("{:g}", number);
    }
    ForEachLossAndValidation(study, [&](const std::string& loss, const std::string& validation) {
      ScoreMap map = MapOver(y, x);
      map.kind = FileStem(axis.setting) + "-by-language";
      map.language = series.stem;
      map.family = study.FamilyOf(curve.points[0].cohort);
      map.loss = loss;
      map.validation = validation;
      for (const AxisCurve::Point& point : curve.points) {
        for (const auto& [number, language] : series.languages) {
          const RunGroup* group =
              selection.Find(language, point.cohort, loss, validation, study.MainBudget());
          const std::vector<double> scores =
              group == nullptr ? std::vector<double>() : group->Scores();
          if (scores.empty()) continue;
          Put(Mean(scores), scores.size(), PlaceAmong(y.second, point.value),
              PlaceAmong(x.second, number), map);
        }
      }
      Finish(study, series.stem, curve.title, std::move(map), all);
    });
  }
}

void AddSettingByLength(const Selection& selection, const NumericAxis& axis, RunFiles& files,
                        std::vector<ScoreMap>& all) {
  const Study& study = selection.study();
  const auto metric = LengthMetricOf(study);
  if (!metric) return;
  for (const std::string& language : study.axes.languages) {
    const std::vector<LengthBin> bins = LengthBinsOf(study, language);
    if (bins.size() < 2) continue;
    for (const AxisCurve& curve : axis.curves) {
      std::pair<std::string, Places> y{axis.setting, {}}, x{"length", {}};
      for (const AxisCurve::Point& point : curve.points) {
        y.second[point.value] = fmt::format("{:g}", point.value);
      }
      for (const LengthBin& bin : bins) x.second[static_cast<double>(bin.least)] = bin.Title();
      ForEachLossAndValidation(study, [&](const std::string& loss, const std::string& validation) {
        ScoreMap map = MapOver(y, x);
        map.language = language;
        map.family = study.FamilyOf(curve.points[0].cohort);
        map.loss = loss;
        map.validation = validation;
        for (const AxisCurve::Point& point : curve.points) {
          const RunGroup* group =
              selection.Find(language, point.cohort, loss, validation, study.MainBudget());
          if (group == nullptr) continue;
          const LengthCurve along = LengthCurveOf(*group, *metric, bins, files);
          for (std::size_t i = 0; i < bins.size(); ++i) {
            if (along.mean[i]) {
              Put(*along.mean[i], along.runs, PlaceAmong(y.second, point.value), i, map);
            }
          }
        }
        Finish(study, LanguageTitle(language), curve.title, std::move(map), all);
      });
    }
  }
}

}  // namespace

std::vector<ScoreMap> ScoreMapsOf(const Selection& selection, RunFiles& files) {
  const Study& study = selection.study();
  const std::vector<NumericAxis> axes = NumericAxesOf(study);
  const std::vector<LanguageSeries> series = SeriesOfLanguages(study.axes.languages);
  std::vector<ScoreMap> all;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = i + 1; j < axes.size(); ++j) {
      AddSettingBySetting(selection, axes[i].setting, axes[j].setting, all);
    }
    for (const LanguageSeries& one : series) AddSettingByLanguage(selection, axes[i], one, all);
    AddSettingByLength(selection, axes[i], files, all);
  }
  std::vector<std::string> titles;
  for (const ScoreMap& map : all) titles.push_back(map.kind + ": " + map.place);
  const std::map<std::string, std::string> stems = FileStems(titles);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].place = fmt::format("map-{}/{}", all[i].kind, stems.at(titles[i]));
  }
  return all;
}

// A table per kind of map.
std::vector<Table> ScoreMapTables(const Selection& selection, RunFiles& files) {
  const Study& study = selection.study();
  std::vector<Table> tables;
  std::map<std::string, std::vector<ScoreMap>> by_kind;
  for (ScoreMap& map : ScoreMapsOf(selection, files)) by_kind[map.kind].push_back(std::move(map));
  for (const auto& [kind, maps] : by_kind) {
    Table table;
    table.name = "map-" + kind;
    table.caption = fmt::format(
        "{} on the test set by {} and {}: means over trials.", MetricTitle(study), maps[0].y_title,
        maps[0].x_title.find("…") == std::string::npos ? maps[0].x_title
                                                       : "the number in the language's name");
    table.columns = {{"of", "Of", "", true}, {"y", maps[0].y_title, ""}};
    // The maps of a kind may have different places.
    std::vector<std::string> places;
    for (const ScoreMap& map : maps) {
      for (const std::string& x : map.x) {
        if (std::find(places.begin(), places.end(), x) == places.end()) places.push_back(x);
      }
    }
    for (const std::string& x : places) {
      table.columns.push_back({"at_" + x, x, maps[0].x_title});
    }
    for (const ScoreMap& map : maps) {
      table.figures.emplace_back(map.place);
      for (std::size_t y = 0; y < map.y.size(); ++y) {
        Row row;
        row.rule_above = y == 0 && !table.rows.empty();
        row.cells = {Cell::Text(map.title), Cell::Text(map.y[y])};
        row.cells.resize(table.columns.size());
        for (std::size_t x = 0; x < map.x.size(); ++x) {
          const auto place = std::find(places.begin(), places.end(), map.x[x]) - places.begin();
          row.cells[2 + static_cast<std::size_t>(place)] =
              Cell::Maybe(map.values[y][x], study.metric.decimals);
        }
        table.rows.push_back(std::move(row));
      }
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace flare::report
