#include "flare/report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/classes/classification_formats.h"
#include "flare/report/automaton_svg.h"
#include "flare/report/findings.h"
#include "flare/report/hierarchy.h"
#include "flare/report/language_info.h"
#include "flare/report/learned.h"
#include "flare/report/numeric_axes.h"
#include "flare/report/plots.h"
#include "flare/report/predicted.h"
#include "flare/report/run_files.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"
#include "flare/runs/run.h"

namespace flare::report {

namespace {

namespace fs = std::filesystem;

// Tolerant of names that are not UTF-8, as JsonText is.
std::string Dump(const Json& json) {
  if (json.is_number_unsigned()) return std::to_string(json.get<std::uint64_t>());
  if (json.is_number_float()) {
    const auto number = json.get<double>();
    return std::isfinite(number) ? fmt::format("{}", number) : "null";
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Packs the documents of a script, so that 1,500 languages fit in a few megabytes: the names of
// members, and whatever else is met again, are written once.
//
//   {"a": 1, "b": "x"}   [1,1,"x"]   the first of the shapes, ["a","b"], and its values
//   [1, 2]               [0,1,2]
//                        [-3]        the third of the shared texts
class Packer {
 public:
  // Adds the document to the text.
  void Pack(const Json& json, std::string& text) {
    const std::size_t begin = text.size();
    if (json.is_structured()) {
      text += '[' + std::to_string(json.is_object() ? ShapeOf(json) : 0);
      for (const auto& item : json) {
        text += ',';
        Pack(item, text);
      }
      text += ']';
    } else {
      text += Dump(json);
    }
    Share(begin, text);
  }

  const std::vector<std::string>& shapes() const { return shapes_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::size_t ShapeOf(const Json& object) {
    std::string names;
    for (const auto& [name, value] : object.items()) names += name + '\0';
    const auto [place, is_new] = places_of_shapes_.try_emplace(names, shapes_.size() + 1);
    if (is_new) {
      Json list = Json::array();
      for (const auto& [name, value] : object.items()) list.push_back(name);
      shapes_.push_back(Dump(list));
    }
    return place->second;
  }

  // Replaces the end of a text by a reference if it was met before.
  void Share(std::size_t begin, std::string& text) {
    // Shorter ones are no longer than a reference, and longer ones are rarely met again.
    constexpr std::size_t kLeast = 8, kMost = 1000;
    const std::string_view end = std::string_view(text).substr(begin);
    if (end.size() < kLeast || end.size() > kMost) return;
    const std::size_t hash = std::hash<std::string_view>()(end);
    if (seen_.insert(hash).second) return;
    const auto [place, is_new] = places_of_texts_.try_emplace(std::string(end), texts_.size() + 1);
    if (is_new) texts_.emplace_back(end);
    text.resize(begin);
    text += fmt::format("[-{}]", place->second);
  }

  std::vector<std::string> shapes_, texts_;
  std::unordered_map<std::string, std::size_t> places_of_shapes_, places_of_texts_;  // from 1
  std::unordered_set<std::size_t> seen_;  // the hashes of texts that were met
};

// Writes documents into scripts, data/NAME-1.js and so on. Small ones share a script: they have
// much in common, and the files of a disk have a least size.
class Scripts {
 public:
  Scripts(std::string name, OutputFolder& out) : name_(std::move(name)), out_(out) {}

  // Returns the name of the script that will have the document.
  std::string Add(const std::string& key, const Json& document) {
    constexpr std::size_t kEnough = 200'000;
    const std::string file = name_ + "-" + std::to_string(number_);
    documents_ += fmt::format("{}[{},", documents_.empty() ? "" : ",\n", Dump(key));
    packer_.Pack(document, documents_);
    documents_ += ']';
    if (documents_.size() > kEnough) Write();
    return file;
  }
  // Writes what is left. Returns a hash of all.
  std::string Finish() {
    if (!documents_.empty()) Write();
    return Sha256(hashes_);
  }

 private:
  void Write() {
    const std::string script =
        fmt::format("FLARE.put([{}],[{}],[\n{}]);\n", fmt::join(packer_.shapes(), ","),
                    fmt::join(packer_.texts(), ","), documents_);
    out_.Write(fmt::format("data/{}-{}.js", name_, number_++), script);
    hashes_ += Sha256(script);
    documents_.clear();
    packer_ = Packer();
  }

  std::string name_;
  OutputFolder& out_;
  Packer packer_;
  std::size_t number_ = 1;
  std::string documents_, hashes_;
};

// The page opens with the main table; others that are as long as this are loaded when they are
// opened.
bool IsLoadedLater(const Table& table) {
  constexpr std::size_t kLong = 400;
  return table.name != "main" && table.rows.size() > kLong;
}

}  // namespace

void WritePage(const Selection& selection, const std::vector<Table>& tables,
               const std::vector<Table>& extra, const std::map<std::string, Table>& full,
               const std::map<std::string, std::vector<std::string>>& figures,
               std::size_t refresh_seconds, RunFiles& files, OutputFolder& out) {
  for (const char* name : {"report.css", "core.js", "tables.js", "charts.js", "overview.js",
                           "language.js", "runs.js", "chart.min.js"}) {
    out.Write(fs::path("assets") / name, EmbeddedFile(name));
  }
  out.Write("index.html", EmbeddedFile("index.html"));
  Scripts languages("languages", out), runs("runs", out), long_tables("tables", out);
  Json overview = OverviewData(selection, tables, extra, refresh_seconds);
  for (Json& known : overview["languages"]) {
    const std::string language = known["id"];
    Json shown = LanguageData(selection, language, full.at(language), files);
    if (const auto at = figures.find(language); at != figures.end()) shown["figures"] = at->second;
    known["in"] = languages.Add("language/" + language, shown);
    known["runs_in"] = runs.Add("runs/" + language, RunsData(selection, language));
  }
  for (const Table& table : tables) {
    if (!IsLoadedLater(table)) continue;
    overview["tables"][table.name] = {
        {"rows_in", long_tables.Add("table/" + table.name, TableToJson(table))}};
  }
  std::string hashes = languages.Finish() + runs.Finish() + long_tables.Finish();
  Scripts first("overview", out);
  first.Add("overview", overview);
  hashes += first.Finish();
  // Last: a page that watches this file then finds the others complete.
  Scripts stamp("stamp", out);
  stamp.Add("stamp", Sha256(hashes));
  stamp.Finish();
}

namespace {

// Four digits are more than a chart shows, and keep the files small.
Json Short(double value) {
  if (!std::isfinite(value)) return nullptr;
  // Not std::stod, which throws for numbers as small as 1e-310; rounding 1.7976931e308 up
  // overflows.
  const double rounded = std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
  return std::isfinite(rounded) ? rounded : value;
}

Json Short(const std::optional<double>& value) { return value ? Short(*value) : Json(); }

Json NumberOrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// Returns the table as in tables/*.json.
Json TableData(const Selection& selection, Table table) {
  return TableToJson(WithNoteOf(selection.study(), std::move(table)));
}

Json TrainingCurve(const std::vector<CurvePoint>& curve) {
  Json epochs = Json::array(), loss = Json::array(), ce = Json::array(), accuracy = Json::array();
  constexpr std::size_t kMostPoints = 60;
  for (const CurvePoint& point : Thinned(curve, kMostPoints)) {
    epochs.push_back(point.checkpoint.epoch);
    loss.push_back(Short(point.loss));
    ce.push_back(Short(point.checkpoint.cross_entropy));
    accuracy.push_back(Short(point.checkpoint.accuracy));
  }
  return {{"epoch", epochs}, {"loss", loss}, {"ce", ce}, {"accuracy", accuracy}};
}

Json CoordinatesData(const StudyRun& run) {
  return {{"architecture", run.family},
          {"loss", run.at.loss},
          {"validation", run.at.validation},
          {"budget", run.at.budget},
          {"trial", run.at.trial}};
}

Json CurveData(const StudyRun& run, RunFiles& files) {
  Json curve = CoordinatesData(run);
  curve["score"] = NumberOrNull(run.score);
  curve["longest_perfect_length"] = NumberOrNull(run.LongestPerfectLength());
  Json lengths = Json::array(), edits = Json::array();
  for (const LengthPoint& p : files.Lengths(run)) {
    lengths.push_back({p.length, Short(p.accuracy), Short(p.cross_entropy),
                       Short(p.cross_entropy_std), p.examples});
  }
  for (const ExampleRow& e : files.Examples(run, "test-edit-distance")) {
    if (!e.edit_distance) continue;
    edits.push_back({*e.edit_distance, Short(e.cross_entropy), e.length});
  }
  curve["lengths"] = lengths;
  curve["edits"] = edits;
  return curve;
}

// The runs that the charts show: for each architecture and validation set, of each loss and of all
// losses, the one that is chosen by validation and the one that is best on the test. "of_loss" and
// "best" say which of these it is.
Json Curves(const Selection& selection, const std::string& language, RunFiles& files) {
  const Study& study = selection.study();
  static const std::pair<Choice, const char*> kChoices[] = {{Choice::kByValidation, "validation"},
                                                            {Choice::kByTest, "test"}};
  Json curves = Json::array();
  for (const std::string& validation : study.axes.validations) {
    for (const std::string& architecture : study.Variants()) {
      for (const std::string& loss : study.axes.losses) {
        std::map<const StudyRun*, Json> as;  // in the order of the study
        for (const auto& [choice, name] : kChoices) {
          const StudyRun* run =
              selection.ForFigures(language, architecture, choice, loss, validation);
          if (run == nullptr) continue;
          const bool best =
              run == selection.ForFigures(language, architecture, choice, "", validation);
          Json& roles =
              as.try_emplace(run, Json{{"of_loss", Json::array()}, {"best", Json::array()}})
                  .first->second;
          roles["of_loss"].push_back(name);
          if (best) roles["best"].push_back(name);
        }
        for (const auto& [run, roles] : as) {
          Json curve = CurveData(*run, files);
          curve.update(roles);
          curves.push_back(std::move(curve));
        }
      }
    }
  }
  return curves;
}

// Shows the runs of the other charts, and the first trials of each point; a chart with more curves
// could not be read.
Json Training(const Selection& selection, const std::string& language, RunFiles& files) {
  constexpr std::size_t kMostTrials = 12;
  const Study& study = selection.study();
  std::set<const StudyRun*> shown;
  for (const std::string& architecture : study.Variants()) {
    for (const std::string& validation : study.axes.validations) {
      for (const std::string& loss : study.axes.losses) {
        for (const Choice choice : {Choice::kByValidation, Choice::kByTest}) {
          shown.insert(selection.ForFigures(language, architecture, choice, loss, validation));
        }
      }
    }
  }
  Json all = Json::array();
  for (const StudyRun* run : selection.RunsOf(language)) {
    if (run->at.budget != study.MainBudget()) continue;
    if (run->left_out || (run->at.trial > kMostTrials && !shown.contains(run))) continue;
    const std::vector<CurvePoint> points = files.Curve(*run);
    if (points.empty()) continue;
    Json curve = CoordinatesData(*run);
    curve["state"] = StateWord(run->state);
    curve["curve"] = TrainingCurve(points);
    all.push_back(std::move(curve));
  }
  return all;
}

Json Hardest(const Selection& selection, const std::string& language, RunFiles& files) {
  const Study& study = selection.study();
  const std::vector<std::string> strings = ReadTestStrings(study, language);
  Json all = Json::array();
  for (const std::string& architecture : study.Variants()) {
    const StudyRun* run = selection.ForFigures(language, architecture, Choice::kByValidation);
    if (run == nullptr) continue;
    Json examples = Json::array();
    for (const HardExample& example : ReadHardExamples(*run, strings, files)) {
      Json probabilities = Json::array();
      for (const double p : example.prefix_probabilities) probabilities.push_back(Short(p));
      examples.push_back({{"index", example.index},
                          {"text", example.string},
                          {"label", example.label ? 1 : 0},
                          {"logit", Short(example.logit)},
                          {"prefix", probabilities}});
    }
    Json entry = CoordinatesData(*run);
    entry["examples"] = examples;
    all.push_back(std::move(entry));
  }
  return all;
}

// The automata of the networks that are shown, to be shown next to the target's.
Json LearnedData(const Selection& selection, const std::string& language, RunFiles& files) {
  Json all = Json::array();
  for (const Learned& learned : LearnedOf(selection, language, files)) {
    const ExtractionReport& report = learned.report;
    Json entry = CoordinatesData(*learned.run);
    entry["states"] = report.states;
    entry["max_length"] = report.max_length;
    entry["limit"] = report.limit;
    entry["classes"] = report.classes;
    entry["svg"] =
        learned.automaton && report.states <= kMostDrawnStates && CanBeDrawn(*learned.automaton)
            ? Json(AutomatonSvg(*learned.automaton, learned.run->family))
            : Json();
    entry["judged"] = report.error.has_value();
    if (report.error) {
      entry["wrongly_accepted"] = OrNull(report.error->first_wrongly_accepted);
      entry["wrongly_rejected"] = OrNull(report.error->first_wrongly_rejected);
      entry["known_up_to"] = OrNull(report.error->known_up_to);
    }
    all.push_back(std::move(entry));
  }
  return all;
}

Json BaselinesData(const Baselines* baselines) {
  if (baselines == nullptr) return nullptr;
  return {{"majority", NumberOrNull(baselines->majority)},
          {"majority_per_length", NumberOrNull(baselines->majority_per_length)},
          {"state_merging", NumberOrNull(baselines->state_merging)},
          {"format_only", NumberOrNull(baselines->format_only)},
          {"symbol_counts", NumberOrNull(baselines->symbol_counts)},
          {"ngrams", NumberOrNull(baselines->ngrams)}};
}

// A row per state: whether it accepts, and the target on each symbol of the alphabet or null. Dense
// automata are easier to read this way than drawn.
Json TransitionTable(const Dfa& dfa) {
  Json rows = Json::array();
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    Json targets = Json::array();
    for (const std::string& name : dfa.alphabet().names()) {
      const auto target = dfa.Next(StateAt(q), dfa.alphabet().At(name));
      targets.push_back(target ? Json(Index(*target)) : Json());
    }
    rows.push_back({{"accepting", dfa.IsAccepting(StateAt(q))}, {"targets", targets}});
  }
  return rows;
}

Json LanguagesData(const Study& study) {
  const std::map<std::string, std::string> stems = FileStems(study.axes.languages);
  Json languages = Json::array();
  for (const std::string& name : study.axes.languages) {
    const auto language = FindLanguage(study, name);
    const auto classes = study.classes.find(name);
    languages.push_back(
        {{"id", name},
         {"title", LanguageTitle(name)},
         {"file", stems.at(name)},
         {"class", language ? ShortName(language->language_class) : ""},
         {"class_title", language ? LongName(language->language_class) : "of unknown class"},
         {"definition", language ? language->definition : ""},
         {"classes",
          classes != study.classes.end() ? classes::ShortClassification(*classes->second) : ""}});
  }
  return languages;
}

Json HierarchyData(const Selection& selection) {
  const Study& study = selection.study();
  Json classes = Json::array();
  // More dots than these cannot be taken in.
  constexpr std::size_t kMostDots = 600;
  if (study.axes.languages.size() * study.Variants().size() > kMostDots) return classes;
  for (const HierarchyClass& c : HierarchyOf(study)) {
    Json languages = Json::array();
    for (const std::string& language : c.languages) {
      Json perfect = Json::object(), published = Json::object(), best = Json::object();
      const ReportColumn column = study.BestColumn();
      for (const std::string& architecture : study.Variants()) {
        const auto ours = IsPerfect(selection, language, architecture);
        const bool judged = ScoreCell(selection, column, language, architecture).judged;
        const PublishedValue* theirs =
            judged ? study.FindPublished("perfect", language, architecture, column.budget)
                   : nullptr;
        perfect[architecture] = ours ? Json(*ours) : Json();
        published[architecture] = theirs != nullptr ? Json(theirs->value == 1) : Json();
        const auto score = selection.Score(column, language, architecture);
        best[architecture] = score ? Json(score->value) : Json();
      }
      languages.push_back(
          {{"id", language}, {"perfect", perfect}, {"published", published}, {"best", best}});
    }
    classes.push_back({{"class", ShortName(c.language_class)},
                       {"title", LongName(c.language_class)},
                       {"languages", languages}});
  }
  return classes;
}

// Returns the worst and the best value between which cells are shaded.
Scale ScaleOfCells(const Study& study, const std::vector<Table>& tables) {
  std::vector<double> values;
  for (const Table& table : tables) {
    if (table.name != "main") continue;
    for (const Row& row : table.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const bool is_score = !table.columns[i].family.empty();
        if (is_score && row.cells[i].kind == Cell::Kind::kNumber) {
          values.push_back(row.cells[i].value);
        }
      }
    }
  }
  return ScaleOf(study.metric, values);
}

Json LookData(const Look& look) {
  return {{"color", look.color},
          {"bright", look.bright},
          {"dash", Name(look.dash)},
          {"mark", Name(look.mark)}};
}

// Along each setting that the grid varies over numbers, the plots of figures/axis-SETTING.
Json AxesData(const Selection& selection) {
  Json axes = Json::array();
  for (const NumericAxis& axis : NumericAxesOf(selection.study())) {
    Json plots = Json::array();
    bool logarithmic = false;
    for (const std::string& language : selection.study().axes.languages) {
      const Plot plot = AxisPlot(selection, axis, language);
      logarithmic = plot.logarithmic_x;
      Json series = Json::array();
      for (const Series& one : plot.series) {
        Json points = Json::array();
        for (const Series::Point& at : one.points) {
          points.push_back({at.x, Short(at.y), Short(at.below), Short(at.above)});
        }
        series.push_back({{"title", one.title}, {"look", LookData(one.look)}, {"points", points}});
      }
      if (series.empty()) continue;
      plots.push_back({{"language", language}, {"title", plot.title}, {"series", series}});
    }
    axes.push_back({{"setting", axis.setting},
                    {"logarithmic", logarithmic},
                    {"table", TableData(selection, AxisTable(selection, axis))},
                    {"plots", plots}});
  }
  return axes;
}

}  // namespace

Json OverviewData(const Selection& selection, const std::vector<Table>& tables,
                  const std::vector<Table>& extra, std::size_t refresh_seconds) {
  const Study& study = selection.study();
  Json architectures = Json::array(), losses = Json::array();
  const std::map<std::string, Look> looks = LooksOf(study.Variants());
  for (const std::string& name : study.Variants()) {
    architectures.push_back({{"id", name},
                             {"title", study.Title(name)},
                             {"short", study.ShortTitle(name)},
                             {"look", LookData(looks.at(name))}});
  }
  for (const std::string& name : study.axes.losses) {
    losses.push_back({{"id", name}, {"title", LossTitle(name)}});
  }
  Json columns = Json::array();
  for (const ReportColumn& column : study.columns) {
    columns.push_back({{"id", column.name}, {"title", column.title}});
  }
  Json titles = Json::object();
  for (const std::string& name : study.axes.validations) {
    titles[name] = fmt::format("{} ({})", name, LengthsText(study, ValidationSplit(name)));
  }
  Json states = Json::object();
  const std::size_t left_out = study.LeftOut();
  for (const RunState state : {RunState::kFinished, RunState::kDiverged, RunState::kFailed,
                               RunState::kDamaged, RunState::kRunning, RunState::kLeft}) {
    states[StateWord(state)] = study.Count(state) - (state == RunState::kLeft ? left_out : 0);
  }
  const Scale scale = ScaleOfCells(study, tables);
  const Findings findings = FindingsOf(selection);
  Json by_name = Json::object();
  for (const Table& table : tables) {
    by_name[table.name] = IsLoadedLater(table) ? Json() : TableToJson(table);
  }
  Json extras = Json::array();
  for (const Table& table : extra) extras.push_back(TableToJson(table));
  return {{"version", Version()},
          {"name", study.name},
          {"seed", study.seed},
          {"refresh", refresh_seconds},
          {"published", study.published != nullptr && study.shows_published},
          {"published_label", study.PublishedLabel()},
          {"columns", columns},
          {"findings", findings.sentences},
          {"missing", findings.missing},
          {"metric",
           {{"name", study.metric.name},
            {"title", study.metric.title},
            {"decimals", study.metric.decimals},
            {"worst", scale.worst},
            {"best", scale.best},
            {"is_share", study.metric.is_share},
            {"higher_is_better", study.metric.higher_is_better}}},
          {"runs", study.runs.size()},
          {"states", states},
          {"left_out", left_out},
          {"trials", study.axes.trials},
          {"budgets", study.axes.budgets},
          {"main_budget", study.MainBudget()},
          {"validations", study.axes.validations},
          {"validation_titles", titles},
          {"architectures", architectures},
          {"losses", losses},
          {"languages", LanguagesData(study)},
          {"hierarchy", HierarchyData(selection)},
          {"axes", AxesData(selection)},
          {"tables", std::move(by_name)},
          {"extra_tables", std::move(extras)}};
}

Json LanguageData(const Selection& selection, const std::string& language, const Table& full,
                  RunFiles& files) {
  const Study& study = selection.study();
  Json data = {{"id", language},
               {"full", TableToJson(full)},
               {"seen_lengths", SeenLengths(study, language)},
               {"baselines", BaselinesData(study.FindBaselines(language))},
               {"curves", Curves(selection, language, files)},
               {"training", Training(selection, language, files)},
               {"hardest", Hardest(selection, language, files)},
               {"alphabet", Json::array()},
               {"members", Json::array()},
               {"others", Json::array()},
               {"automaton", nullptr}};
  if (const Table wrong = WrongAnswersTable(selection, {language}); !wrong.rows.empty()) {
    data["wrong_answers"] = TableData(selection, wrong);
  }
  if (Json learned = LearnedData(selection, language, files); !learned.empty()) {
    data["learned"] = std::move(learned);
  }
  const auto known = FindLanguage(study, language);
  if (!known) return data;
  data["alphabet"] = known->language->alphabet().names();
  const SampleStrings samples = DrawSamples(*known);
  data["members"] = samples.members;
  data["others"] = samples.others;
  if (const Dfa* dfa = known->language->dfa()) {
    data["automaton"] = {{"states", dfa->num_states()},
                         {"transitions", dfa->num_transitions()},
                         {"start", Index(dfa->start())},
                         {"table", TransitionTable(*dfa)},
                         {"svg", CanBeDrawn(*dfa) ? Json(AutomatonSvg(*dfa, language)) : Json()}};
  }
  return data;
}

Json RunsData(const Selection& selection, const std::string& language) {
  Json runs = Json::array();
  for (const StudyRun* one : selection.RunsOf(language)) {
    const StudyRun& run = *one;
    Json row = CoordinatesData(run);
    row["state"] = run.left_out ? "left out" : StateWord(run.state);
    row["directory"] = run.path.string();
    if (!run.fault.empty()) row["failure"] = run.fault;
    if (run.config) {
      Json settings = Json::object();
      for (const auto& [name, value] : selection.study().SettingsOf(run)) settings[name] = value;
      row["settings"] = settings;
      row["data_sha256"] = run.config->data.Sha256OfAll();
    }
    if (run.result) {
      const RunResult& result = *run.result;
      row["stop_reason"] = result.stop_reason;
      row["epochs"] = result.epochs;
      row["best_epoch"] = result.best ? Json(result.best->epoch) : Json(nullptr);
      row["parameters"] = result.parameters;
      row["seconds"] = Short(result.seconds);
      row["cpu_seconds"] = Short(result.cpu_seconds);
      row["examples_per_second"] = Short(result.examples_per_second);
      row["model_sha256"] = result.model_sha256;
      row["validation_ce"] = Short(result.best ? result.best->cross_entropy : std::nullopt);
      row["test"] = NumberOrNull(run.TestAccuracy());
      Json splits = Json::object();
      for (const auto& [split, metrics] : result.splits) {
        if (!metrics) continue;
        Json values = Json::object();
        metrics->ForEachScalar([&](std::string_view metric, double value) {
          values[std::string(metric)] = Short(value);
        });
        splits[split] = values;
      }
      row["splits"] = splits;
    }
    runs.push_back(std::move(row));
  }
  return runs;
}

}  // namespace flare::report
