#include "flare/report/numeric_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "flare/report/plot.h"
#include "flare/report/plots.h"
#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

std::string Described(const NumericAxis& axis) {
  std::string text = axis.setting;
  for (const AxisCurve& curve : axis.curves) {
    text += "; " + curve.title + ":";
    for (const AxisCurve::Point& point : curve.points) text += " " + FormatExact(point.value);
  }
  return text;
}

std::vector<std::string> AxesOfVariants(const std::vector<std::string>& variants) {
  const TemporaryDirectory directory;
  const FakeSweep fake(directory.path() / "out", {.variants = variants, .losses = {"rec"}});
  std::vector<std::string> axes;
  for (const NumericAxis& axis : NumericAxesOf(ReadStudy({fake.directory()}))) {
    axes.push_back(Described(axis));
  }
  return axes;
}

TEST(NumericAxes, VariantsThatDifferInOneNumberMakeOne) {
  EXPECT_EQ(AxesOfVariants({"rnn", "lstm"}), std::vector<std::string>{});
  EXPECT_EQ(AxesOfVariants({"rnn,learning_rate=0.01", "rnn,learning_rate=0.001"}),
            std::vector<std::string>{"learning_rate; Simple RNN: 0.001 0.01"});
  // One that draws its rate has no place on the axis.
  EXPECT_EQ(AxesOfVariants({"rnn", "rnn,learning_rate=0.001"}), std::vector<std::string>{});
  // The usual number of layers is not said in the text, and counts.
  EXPECT_EQ(AxesOfVariants({"lstm,layers=2", "lstm", "rnn,layers=2"}),
            std::vector<std::string>{"layers; LSTM: 2 5"});
  EXPECT_EQ(AxesOfVariants({"lstm,layers=2,learning_rate=0.1", "lstm,layers=1,learning_rate=0.1",
                            "lstm,layers=1,learning_rate=0.2"}),
            (std::vector<std::string>{"layers; LSTM, learning_rate=0.1: 1 2",
                                      "learning_rate; LSTM, layers=1: 0.1 0.2"}));
  EXPECT_EQ(AxesOfVariants({"rnn,target=portable", "rnn"}), std::vector<std::string>{});
  // A size that is given is one of the settings, though the runs have a budget among their
  // coordinates.
  EXPECT_EQ(AxesOfVariants({"rnn,hidden=16", "rnn,hidden=8"}),
            std::vector<std::string>{"hidden; Simple RNN: 8 16"});
  // What all curves share is not said, and what tells them apart is, of each.
  EXPECT_EQ(
      AxesOfVariants({"mamba,eigenvalues=signed,layers=1", "mamba,eigenvalues=signed,layers=2",
                      "mamba,layers=1", "mamba,layers=2"}),
      (std::vector<std::string>{"layers; Mamba, signed: 1 2; Mamba, positive: 1 2"}));
  EXPECT_EQ(AxesOfVariants({"rnn,learning_rate=0", "rnn,learning_rate=0.001"}),
            std::vector<std::string>{"learning_rate; Simple RNN: 0 0.001"});
}

// Options of other programs are any text: what has no place on an axis, or shares one, is a variant
// like others.
TEST(NumericAxes, HaveAPlaceForEveryRun) {
  const auto axes = [&](const std::vector<std::string>& variants) {
    const TemporaryDirectory directory;
    const FakeSweep fake(
        directory.path() / "out",
        {.variants = variants, .losses = {"rec"}, .externals = {{"net", {"./net"}, {"width"}}}});
    return NumericAxesOf(ReadStudy({fake.directory()})).size();
  };
  EXPECT_EQ(axes({"net,width=8", "net,width=16"}), 1u);
  EXPECT_EQ(axes({"net,width=16", "net,width=016"}), 0u);
  EXPECT_EQ(axes({"net,width=1e308", "net,width=-1e308"}), 0u);
}

TEST(NumericAxes, TableAndPlotShowMeansOverTrials) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out",
                 {.variants = {"rnn,learning_rate=0.001", "rnn,learning_rate=0.1"},
                  .losses = {"rec"},
                  .validations = {"short"}});
  const auto add = [&](const char* variant, std::size_t trial, double test) {
    FakeRun run;
    run.variant = variant;
    run.trial = trial;
    run.test = test;
    fake.Add(run);
  };
  add("rnn,learning_rate=0.001", 1, 1.0);
  add("rnn,learning_rate=0.001", 2, 0.5);
  add("rnn,learning_rate=0.1", 2, 0.5);
  fake.AddBaselines("parity", 0.48, 0.5, 0.5);
  const Study study = ReadStudy({fake.directory()});
  const Selection selection(study);
  const NumericAxis axis = NumericAxesOf(study).at(0);
  const std::string markdown = FormatMarkdown(AxisTable(selection, axis));
  EXPECT_THAT(markdown,
              HasSubstr("| Parity | Simple RNN | R | S | 0.75 ± 0.25 (n = 2) | 0.50 (1/2) |"));
  // Of trial 2 alone, whose accuracies are equal: trial 1 has one only.
  EXPECT_THAT(markdown, HasSubstr("0.50 (1/2) | 0.48 | 0.00 | 1.0000 | 1.0000 |"));
  const Plot plot = AxisPlot(selection, axis, "parity");
  EXPECT_TRUE(plot.logarithmic_x);
  ASSERT_EQ(plot.series.size(), 1u);
  EXPECT_EQ(plot.title, "Parity (n = 1 to 2)");
  const Series::Point& first = plot.series[0].points.at(0);
  EXPECT_EQ(first.x, 0.001);
  EXPECT_EQ(first.y, 0.75);
  EXPECT_EQ(first.below, 0.5);
  EXPECT_EQ(first.above, 1);
  EXPECT_TRUE(AxisPlot(selection, axis, "first").series.empty());
}

TEST(NumericAxes, ValuesThatLookAlikeHaveColumnsOfTheirOwn) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out",
                 {.variants = {"rnn,learning_rate=0.00123456", "rnn,learning_rate=0.001234561"},
                  .losses = {"rec"},
                  .validations = {"short"}});
  const Study study = ReadStudy({fake.directory()});
  const Table table = AxisTable(Selection(study), NumericAxesOf(study).at(0));
  EXPECT_EQ(table.columns[4].key, "learning_rate=0.00123456");
  EXPECT_EQ(table.columns[5].key, "learning_rate=0.001234561");
}

// An option of another program may be anything.
TEST(NumericAxes, ValuesBelowZeroAreInTheFrame) {
  for (const double most : {32.0, 0.0, -4.0}) {
    const Series series{.title = "a",
                        .look = {.color = "#123456", .bright = "#123456"},
                        .points = {{-16, 0.5, 0.5, 0.5}, {most, 1, 1, 1}},
                        .as_dots = true};
    const std::string svg = DrawPlot({.series = {series}}).Svg();
    static const std::regex kDot("<circle cx=\"([^\"]*)\"");
    std::vector<double> dots;
    for (std::sregex_iterator at(svg.begin(), svg.end(), kDot), end; at != end; ++at) {
      dots.push_back(std::stod((*at)[1]));
    }
    ASSERT_GE(dots.size(), 2u) << svg;
    EXPECT_GE(dots[0], 50) << svg;
    EXPECT_GT(dots[1], dots[0]) << svg;
    EXPECT_LE(dots[1], kPlotWidth) << svg;
    EXPECT_THAT(svg, HasSubstr(">-10<"));
  }
}

TEST(LogarithmicTicks, AreRound) {
  const auto shown = [](double least, double most) {
    std::string text;
    for (const double tick : LogarithmicTicks(least, most)) text += " " + FormatFixed(tick, 4);
    return text;
  };
  EXPECT_EQ(shown(0.0001, 0.01), " 0.0001 0.0002 0.0005 0.0010 0.0020 0.0050 0.0100");
  EXPECT_EQ(shown(0.0003, 0.3), " 0.0010 0.0100 0.1000");
}

}  // namespace
}  // namespace flare::report
