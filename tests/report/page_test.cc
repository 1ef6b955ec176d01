// The page in a real browser: Chromium opens it from disk, and selftest.js clicks through it.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/languages/catalog.h"
#include "flare/report/report.h"
#include "flare/runs/events.h"
#include "support/fake_sweep.h"
#include "support/installed.h"
#include "support/paths.h"
#include "support/sanitizers.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The page with a script before its end, opened; what the script left in <pre id="selftest">.
Json OpenWith(const fs::path& report, const std::string& script, const std::string& options) {
  std::string page = ReadFile(report / "index.html");
  page = Replaced(page, "<head>",
                  "<head><script>window.pageErrors = [];"
                  "addEventListener('error', (event) => pageErrors.push(event.message));"
                  "addEventListener('unhandledrejection', (event) => "
                  "pageErrors.push(String(event.reason)));"
                  "console.error = console.warn = (...args) => pageErrors.push(args.join(' '));"
                  "</script>");
  page = Replaced(page, "</body>", "<script>" + script + "</script></body>");
  WriteFile(report / "selftest.html", page);
  const ShellResult result = RunShell(
      "timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
      "--user-data-dir=\"$PWD/profile\" " +
          options + " --dump-dom \"file://$PWD/selftest.html\" 2>/dev/null",
      report);
  const std::size_t begin = result.output.find("<pre id=\"selftest\">");
  const std::size_t end = result.output.find("</pre>", begin);
  if (begin == std::string::npos || end == std::string::npos) {
    ADD_FAILURE() << "chromium exits " << result.exit_code << ": " << result.output.substr(0, 2000);
    return Json::object();
  }
  std::string text = result.output.substr(begin + 19, end - begin - 19);
  for (const auto& [from, to] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}}) {
    text = Replaced(text, from, to);
  }
  return Json::parse(text);
}

struct Cost {
  int exit_code = -1;
  double seconds = 0;
  double megabytes = 0;  // resident, at most
};

Cost RunFlare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), FlareProgram());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  Cost cost;
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return cost;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  cost.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  cost.seconds = time.count();
  cost.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

TEST(Page, WorksInChromium) {
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "the report";
  WritePlausibleSweep(
      out, {.languages = {"parity", "repeat-01", "dyck-2-3", "majority", "a<b>&\"c\""}}, true);
  WriteReport({out}, to);
  const std::string script = ReadFile(fs::path(SourceDir()) / "tests" / "report" / "selftest.js");
  const Json seen = OpenWith(to, script, "--virtual-time-budget=60000 --window-size=1280,900");
  SCOPED_TRACE(seen.dump(1));
  ASSERT_TRUE(seen.contains("errors") && !seen.contains("failed"));
  EXPECT_EQ(seen["errors"], Json::array());
  EXPECT_EQ(seen["from_elsewhere"], Json::array());
  EXPECT_EQ(seen["title"], "fake – FLaRe++ report");
  EXPECT_EQ(seen["rows"], 5);
  EXPECT_EQ(seen["cells"], 30);
  EXPECT_EQ(seen["dots"], 12);  // four languages of known class, three architectures
  EXPECT_GT(seen["compare"], 1000);
  EXPECT_EQ(seen["asked_only"], 1);  // the cell of the RNN shows the RNN
  EXPECT_EQ(seen["pressed"], 1);
  EXPECT_EQ(seen["charts"].size(), 4u);
  for (const auto& [name, pixels] : seen["charts"].items()) EXPECT_GT(pixels, 3000) << name;
  EXPECT_EQ(seen["automaton"], 3);  // two states and the start's dot
  EXPECT_EQ(seen["samples"], 10);
  EXPECT_EQ(seen["full_rows"], 24);
  EXPECT_GT(seen["shaded"], 50);
  EXPECT_GT(seen["tokens"], seen["shaded"]);  // one run has no probabilities along its strings
  EXPECT_EQ(seen["filtered"], 2);
  EXPECT_EQ(seen["filter_changes"], true);
  EXPECT_EQ(seen["validation_changes"], true);
  EXPECT_EQ(seen["loss_in_legend"], true);
  EXPECT_EQ(seen["theme_changes"], true);
  EXPECT_EQ(seen["runs"], 48);
  EXPECT_EQ(seen["run_detail"], true);
  EXPECT_EQ(seen["found"], 1);
  EXPECT_EQ(seen["majority_charts"], 3);  // no edit distance
  EXPECT_EQ(seen["refreshed"], "Majority");
  EXPECT_EQ(seen["wide"], false);
  EXPECT_EQ(seen["named_dots"], true);
  EXPECT_EQ(seen["predicted"], 5);
  EXPECT_EQ(seen["predicted_by_class"], 3);  // without parity and what is not regular
  EXPECT_EQ(seen["predicted_by_word"], 1);
  EXPECT_EQ(seen["excluded"], true);
  EXPECT_EQ(seen["sizes"], false);  // with one budget there is nothing to compare
  EXPECT_EQ(seen["nulls"], false);
  EXPECT_EQ(seen["majority_nulls"], false);
  EXPECT_EQ(seen["unknown"], true);
  EXPECT_EQ(seen["percent"], true);
  EXPECT_EQ(seen["choice_changes"], true);
  EXPECT_EQ(seen["bands"], 0);  // of three curves
  EXPECT_EQ(seen["run_settings"], true);
  EXPECT_EQ(seen["learned"], Json::array({"LSTM (R), short validation, trial 1",
                                          "LSTM (R), long validation, trial 1"}));
  EXPECT_EQ(seen["others_lack"], "2/2");
}

// What is wider than the screen scrolls in a box of its own, on phones and on large screens, on
// light and on dark ones; and the main table begins on the first screen.
TEST(Page, FitsEveryScreen) {
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "report";
  const std::string name = "regex:" + std::string(90, 'a') + "*";
  WritePlausibleSweep(out, {.languages = {"parity", name}, .trials = 1}, false);
  WriteReport({out}, to);
  // Headless windows have a least width, so that the page is looked at in a frame.
  const std::string script = R"((async () => {
    const seen = {};
    for (const width of [400, 1000, 1400]) {
      const frame = Object.assign(document.createElement("iframe"), {src: "index.html"});
      frame.style.cssText = `width: ${width}px; height: 900px; border: 0`;
      document.body.replaceChildren(frame);
      const wait = async (there) => {
        for (let i = 0; i < 200 && !there(); ++i) await new Promise((done) => setTimeout(done, 50));
      };
      const page = () => frame.contentDocument, title = () => page()?.querySelector("h1")?.textContent;
      for (const theme of ["light", "dark"]) {
        for (const [view, hash, heading] of [["overview", "#/", "fake"], ["parity", "#/language/parity", "Parity"],
                                              ["long", "#/language/" + encodeURIComponent("NAME"), "NAME"]]) {
          await wait(() => page()?.getElementById("view"));
          frame.contentWindow.location.hash = hash;
          await wait(() => title() === heading);
          page().documentElement.dataset.theme = theme;
          for (const details of page().querySelectorAll("details")) details.open = true;
          await wait(() => !page().body.textContent.includes("Loading"));
          const {scrollWidth, clientWidth} = page().documentElement;
          const heat = page().getElementById("heat");
          seen[`${width} ${theme} ${view}`] = {there: title() === heading, excess: scrollWidth - clientWidth,
            table: view === "overview" ? heat.getBoundingClientRect().top : 0};
        }
      }
    }
    document.body.replaceChildren(Object.assign(document.createElement("pre"), {id: "selftest", textContent: JSON.stringify(seen)}));
  })();)";
  const Json seen = OpenWith(to, Replaced(script, "NAME", name),
                             "--virtual-time-budget=120000 --window-size=1500,900 "
                             "--allow-file-access-from-files");
  EXPECT_EQ(seen.size(), 18u);
  for (const auto& [view, what] : seen.items()) {
    EXPECT_EQ(what["there"], true) << view << what;
    EXPECT_LE(what["excess"], 0) << view << what;
    // On a phone the sentences above the table take more lines; its screen is some 800 px high.
    EXPECT_LT(what["table"], view.starts_with("400 ") ? 700 : 500) << view << what;
  }
}

// A page of rows at a time, which can be searched and sorted; longer tables come when they are
// asked for.
TEST(Page, StaysUsableWithManyLanguages) {
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  const TemporaryDirectory directory;
  const fs::path to = directory.path() / "report";
  FakeGrid grid{.losses = {"rec"}, .validations = {"short"}, .trials = 1, .report = {}};
  grid.languages.clear();
  for (int i = 0; i < 175; ++i) grid.languages.push_back("many-" + std::to_string(i));
  FakeSweep fake(directory.path() / "out", grid);
  for (std::size_t i = 0; i < grid.languages.size(); ++i) {
    for (const std::string& variant : grid.variants) {
      fake.Add({.language = grid.languages[i],
                .variant = variant,
                .test = 0.5 + static_cast<double>(i * 37 % 175) / 400});
    }
  }
  WriteReport({fake.directory()}, to);
  EXPECT_LT(fs::file_size(to / "data/overview-1.js"), 2'000'000u);
  EXPECT_TRUE(fs::exists(to / "data/tables-1.js"));
  std::size_t files = 0;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(to / "data")) {
    ++files;
    bytes += entry.file_size();
  }
  // As many as 1,500 languages are to fit in 10 MB.
  EXPECT_LT(bytes, grid.languages.size() * 6'000);
  EXPECT_LT(files, 20u);
  const Json seen = OpenWith(to, R"((async () => {
      const seen = {errors: pageErrors, time: performance.now()};
      const rows = () => [...document.querySelectorAll("#heat tbody tr")];
      const first = () => rows()[0].querySelector("a").textContent;
      const value = () => Number(rows()[0].querySelector(".value").textContent);
      seen.rows = rows().length;
      document.querySelector('#main [aria-label="next page"]').click();
      seen.next = first();
      const sort = [...document.querySelectorAll("#heat .sort")].find((button) => button.textContent === "LSTM");
      sort.click();
      seen.most = value();
      sort.click();
      seen.least = value();
      const filter = document.querySelector("#main .table-tools input");
      filter.value = "many-17";
      filter.dispatchEvent(new Event("input"));
      seen.found = rows().length;
      document.getElementById("main-long").open = true;
      for (let i = 0; i < 200 && !document.querySelector("#main-long tbody tr"); ++i)
        await new Promise((done) => setTimeout(done, 20));
      seen.later = document.querySelectorAll("#main-long tbody tr").length;
      document.body.append(Object.assign(document.createElement("pre"), {id: "selftest", textContent: JSON.stringify(seen)}));
    })();)",
                             "--virtual-time-budget=60000 --window-size=1400,900");
  EXPECT_EQ(seen["errors"], Json::array());
  EXPECT_EQ(seen["rows"], 50);
  EXPECT_EQ(seen["next"], "many-50");
  EXPECT_NEAR(seen["most"], 0.935, 0.01);
  EXPECT_EQ(seen["least"], 0.5);
  EXPECT_EQ(seen["found"], 6);  // 17 and 170 to 174
  EXPECT_EQ(seen["later"], 50);
}

// Of networks that do not recognize there is no accuracy, and no chart of it.
TEST(Page, ShowsOnlyWhatItsNetworksHave) {
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  const TemporaryDirectory directory;
  const fs::path to = directory.path() / "report";
  FakeSweep fake(directory.path() / "out",
                 {.variants = {"lstm"}, .losses = {"ns"}, .validations = {"short"}, .trials = 1});
  const FakeRun run{.variant = "lstm",
                    .loss = "ns",
                    .next_symbol_accuracy = std::pair(0.9375, 0.5),
                    .recognizes = false};
  fake.Add(run);
  EventLog log(fake.RunPath(run) / "events.jsonl");
  log.Append(StartEvent{.parameters = 1, .all_parameters = 1, .examples = 1});
  for (const std::size_t epoch : {1, 2}) {
    log.Append(EpochEvent{.epoch = epoch, .examples = 1, .loss = 0.25, .term_losses = {}});
    log.Append(CheckpointEvent{
        .epoch = epoch, .is_best = true, .cross_entropy = kNotANumber, .accuracy = kNotANumber});
  }
  WriteReport({fake.directory()}, to);
  const Json seen = OpenWith(to, R"((async () => {
      const seen = {errors: pageErrors};
      location.hash = "#/language/parity";
      for (let i = 0; i < 200 && !FLARE.charts.has("training"); ++i) await new Promise((done) => setTimeout(done, 20));
      seen.charts = [...FLARE.charts.keys()];
      seen.curve = FLARE.charts.get("training").chart.data.datasets[0].data.map(({y}) => y);
      seen.shown = document.getElementById("shown").textContent;
      seen.choices = [...document.querySelectorAll(".filters legend")].map(({textContent}) => textContent);
      document.body.append(Object.assign(document.createElement("pre"), {id: "selftest", textContent: JSON.stringify(seen)}));
    })();)",
                             "--virtual-time-budget=60000 --window-size=1400,900");
  EXPECT_EQ(seen["errors"], Json::array());
  EXPECT_EQ(seen["charts"], Json({"training"}));
  EXPECT_EQ(seen["curve"], Json({0.25, 0.25}));
  EXPECT_EQ(seen["shown"], "Shown: LSTM, trial 1, next symbol accuracy of positions 0.9375.");
  EXPECT_EQ(seen["choices"], Json({"Architecture", "Run"}));
}

// The Format column beside four architectures, a curve of one checkpoint, and why a dot of the
// hierarchy, which two classes make, is empty next to a score that tables round to 1.00.
TEST(Page, HidesNothingThatIsSmall) {
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  const TemporaryDirectory directory;
  const fs::path to = directory.path() / "report";
  FakeSweep fake(directory.path() / "out", {.languages = {"parity", "majority"},
                                            .variants = {"transformer", "rnn", "lstm", "gru"},
                                            .losses = {"rec"},
                                            .trials = 1});
  for (const char* variant : {"transformer", "rnn", "lstm", "gru"}) {
    for (const char* validation : {"short", "long"}) {
      const FakeRun run{.variant = variant, .validation = validation, .test = 0.9974};
      fake.Add(run);
      EventLog log(fake.RunPath(run) / "events.jsonl");
      log.Append(StartEvent{.parameters = 1, .all_parameters = 1, .examples = 1});
      log.Append(CheckpointEvent{.epoch = 1, .is_best = true, .cross_entropy = 0.5});
    }
  }
  fake.AddBaselines("parity", 0.5, 0.5, 0.5);
  WriteReport({fake.directory()}, to);
  const Json seen = OpenWith(to, R"((async () => {
      const seen = {}, last = document.querySelector("#heat tbody td:last-child").getBoundingClientRect();
      seen.format = last.width > 20 && last.right <= document.documentElement.clientWidth;
      seen.nearly = [...document.querySelectorAll(".hierarchy .named small")].map((small) => small.textContent.trim());
      location.hash = "#/language/parity";
      for (let i = 0; i < 200 && !FLARE.charts.has("training"); ++i)
        await new Promise((done) => setTimeout(done, 20));
      const {chart} = FLARE.charts.get("training");
      seen.radii = chart.data.datasets.map((_, k) => chart.getDatasetMeta(k).data)
        .filter((points) => points.length === 1).map((points) => points[0].options.radius);
      document.body.append(Object.assign(document.createElement("pre"), {id: "selftest", textContent: JSON.stringify(seen)}));
    })();)",
                             "--virtual-time-budget=60000 --window-size=1280,900");
  EXPECT_EQ(seen["format"], true) << seen;
  EXPECT_EQ(seen["nearly"].size(), 4u) << seen;
  EXPECT_EQ(seen["nearly"][0], "0.9974") << seen;
  EXPECT_EQ(seen["radii"].size(), 4u) << seen;
  for (const Json& radius : seen["radii"]) EXPECT_GT(radius, 0) << seen;
}

// A grid of settings is looked at for what these do.
TEST(Page, ShowsWhatASettingDoes) {
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  const TemporaryDirectory directory;
  const fs::path to = directory.path() / "report";
  FakeSweep fake(directory.path() / "out",
                 {.languages = {"parity", "first"},
                  .variants = {"rnn,learning_rate=0.0001", "rnn,learning_rate=0.1"},
                  .losses = {"rec"},
                  .validations = {"short"},
                  .trials = 3});
  for (const char* language : {"parity", "first"}) {
    for (const std::size_t trial : {1, 2}) {
      fake.Add({language, "rnn,learning_rate=0.0001", "rec", "short", 64'000, trial, 0.75});
      fake.Add({language, "rnn,learning_rate=0.1", "rec", "short", 64'000, trial,
                trial == 1 ? 0.25 : 0.5});
    }
  }
  fake.Add({"first", "rnn,learning_rate=0.1", "rec", "short", 64'000, 3, 1});
  WriteReport({fake.directory()}, to, {.whole_trials = true});
  const Json seen = OpenWith(to, R"(
      const charts = [...FLARE.charts].filter(([name]) => name.startsWith("axis-"));
      const seen = {errors: pageErrors, names: charts.map(([name]) => name)};
      seen.points = charts.map(([, {chart}]) => chart.data.datasets.map(({data}) => data.map(({x, y}) => [x, y])));
      seen.titles = [...document.querySelectorAll("#axis-learning_rate h3")].map(({textContent}) => textContent);
      const {chart} = charts[0][1];
      chart.tooltip.setActiveElements([{datasetIndex: 2, index: 0}], {x: 0, y: 0});
      seen.tooltip = chart.tooltip.title;
      seen.note = document.querySelector("#axis-learning_rate .notes").textContent.includes("count: 2 of 3.");
      seen.scale = charts[0][1].chart.scales.x.type;
      seen.rows = document.querySelectorAll("#axis-learning_rate tbody tr").length;
      seen.search = FLARE.searchEntries().filter(({href}) => href === "#/axis-learning_rate").length;
      seen.progress = document.querySelector("#findings + div p").textContent;
      seen.hierarchy = document.getElementById("hierarchy") !== null;
      document.body.append(Object.assign(document.createElement("pre"), {id: "selftest", textContent: JSON.stringify(seen)}));
    )",
                             "--virtual-time-budget=60000 --window-size=1280,900");
  EXPECT_EQ(seen["errors"], Json::array());
  EXPECT_EQ(seen["names"], Json({"axis-learning_rate-parity", "axis-learning_rate-first"}));
  // The lowest, the highest and the mean of two trials: the third is not whole.
  const Json points = {
      {{0.0001, 0.75}, {0.1, 0.25}}, {{0.0001, 0.75}, {0.1, 0.5}}, {{0.0001, 0.75}, {0.1, 0.375}}};
  EXPECT_EQ(seen["points"], Json({points, points}));
  EXPECT_EQ(seen["titles"], Json({"Parity (n = 2)", "First (n = 2)"}));
  EXPECT_EQ(seen["tooltip"], Json::array({"learning_rate 0.0001"}));
  EXPECT_EQ(seen["note"], true);
  EXPECT_EQ(seen["scale"], "logarithmic");
  EXPECT_EQ(seen["rows"], 2);
  EXPECT_EQ(seen["hierarchy"], false);  // of one class
  EXPECT_EQ(seen["search"], 1);
  EXPECT_EQ(seen["progress"],
            "9 of 12 runs are finished (1 left out, of trials that are not whole, 3 waiting): 2 "
            "languages, 1 architecture, 1 loss, 3 trials each.");
}

// Letters on coloured cells and buttons too, on light and on dark screens.
TEST(Page, CanBeReadOnItsColours) {
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "report";
  WritePlausibleSweep(out, {.languages = {"parity"}, .trials = 2}, false);
  WriteReport({out}, to);
  const std::string script = ReadFile(fs::path(SourceDir()) / "tests" / "report" / "contrast.js");
  const Json seen =
      OpenWith(to, script, "--virtual-time-budget=60000 --allow-file-access-from-files");
  EXPECT_EQ(seen.size(), 4u);
  for (const auto& [view, worst] : seen.items()) {
    EXPECT_GT(worst["count"], 20) << view << worst;
    EXPECT_GE(worst["contrast"], 4.5) << view << worst;
  }
}

TEST(Page, FullGridIsMadeAndOpensInTime) {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "report";
  FakeGrid grid{.losses = {"rec"}, .validations = {"long"}, .trials = 10};
  grid.languages = PaperLanguages();
  WritePlausibleSweep(out, grid, false);
  // The other losses and validation sets are runs of their own with the same bulky files, linked:
  // making and removing tens of thousands of those would take longer than all that is tested here.
  const FakeGrid full{.languages = grid.languages, .trials = 10};
  FakeSweep study(out, full);
  for (const std::string& language : full.languages) {
    for (const std::string& variant : full.variants) {
      for (const std::string& loss : full.losses) {
        for (const std::string& validation : full.validations) {
          if (loss == "rec" && validation == "long") continue;
          for (std::size_t trial = 1; trial <= full.trials; ++trial) {
            const FakeRun run{.language = language,
                              .variant = variant,
                              .loss = loss,
                              .validation = validation,
                              .trial = trial};
            FakeRun made = run;
            made.loss = "rec";
            made.validation = "long";
            study.Add(run);
            for (const char* file : {"events.jsonl", "eval"}) {
              fs::create_symlink(study.RunPath(made) / file, study.RunPath(run) / file);
            }
          }
        }
      }
    }
  }
  const Cost cost = RunFlare({"report", out, "--to", to});
  ASSERT_EQ(cost.exit_code, 0);
  EXPECT_EQ(Lines(ReadFile(to / "runs.csv")).size(), 4'321u);
  EXPECT_LT(cost.seconds, 30 * kSlowness);
  // Sanitizers keep what is freed.
  if (!kSanitized) EXPECT_LT(cost.megabytes, 500);
  std::cout << "report: " << cost.seconds << " s, " << cost.megabytes << " MB\n";
  if (!Installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  // In real time: the load event waits for scripts that are under way.
  const Json seen = OpenWith(to, R"(
      const seen = {overview: performance.now(), errors: pageErrors};
      FLARE.load('language/parity', FLARE.language('parity').in).then(async () => {
        await FLARE.showLanguage(document.getElementById('view'), 'parity', new URLSearchParams());
        seen.language = performance.now() - seen.overview;
        document.body.replaceChildren(Object.assign(document.createElement('pre'),
          {id: 'selftest', textContent: JSON.stringify(seen)}));
      });)",
                             "");
  std::cout << "page: " << seen << "\n";
  ASSERT_TRUE(seen.contains("language"));
  EXPECT_EQ(seen["errors"], Json::array());
  EXPECT_LT(seen["overview"], 3000);
  EXPECT_LT(seen["language"], 3000);
}

}  // namespace
}  // namespace flare::report
