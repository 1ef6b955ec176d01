// JSON documents, each given to every reader of one: the grid of a sweep, the settings and the data
// of a run, an automaton. What is accepted is the same when it is written and read again.

#include "flare/base/json.h"

#include "flare/automata/dfa_json.h"
#include "flare/base/check.h"
#include "flare/experiments/grid.h"
#include "flare/training/run_config.h"
#include "flare/training/run_data.h"
#include "target.h"

namespace flare {
namespace {

const Alphabet kAlphabet({"0", "1", "a"});

void ReadEverything(const Json& json) {
  FLARE_CHECK(FirstDifference(json, json).empty());
  const Json again = ParseJson(JsonText(json), "");
  FLARE_CHECK(again == json || !FirstDifference(json, again).empty());
  Accepts([&] {
    const Json grid = GridToJson(GridFromJson(json, "sweep.json"));
    FLARE_CHECK(GridToJson(GridFromJson(grid, "")) == grid);
  });
  Accepts([&] {
    const Json config = RunConfigToJson(RunConfigFromJson(json, "config.json"));
    FLARE_CHECK(RunConfigToJson(RunConfigFromJson(config, "")) == config);
  });
  Accepts([&] {
    const Json data = RunDataToJson(RunDataFromJson(json, "config.json"));
    FLARE_CHECK(RunDataToJson(RunDataFromJson(data, "")) == data);
  });
  Accepts([&] {
    const Dfa dfa = DfaFromJson(json, kAlphabet, "manifest.json");
    FLARE_CHECK(DfaFromJson(DfaToJson(dfa), kAlphabet, "") == dfa);
  });
}

}  // namespace
}  // namespace flare

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flare;
  const std::string_view text = AsText(data, size);
  // A grid may name files to read; those of this machine are not what is tried here.
  if (text.find("att") != std::string_view::npos) return 0;
  Accepts([&] { ReadEverything(ParseJson(text, "file.json")); });
  return 0;
}
