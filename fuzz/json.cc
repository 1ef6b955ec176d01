// JSON documents, each given to every reader of one: the grid of a sweep, the configuration
// and the result of a run, an automaton. What is accepted is the same when it is written and read
// again.

#include "flare/base/json.h"

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/runs/grid.h"
#include "flare/runs/result.h"
#include "flare/runs/run_directory.h"
#include "target.h"

namespace flare {
namespace {

const Alphabet kAlphabet({"0", "1", "a"});

// What is read and written is the same when it is read and written again.
template <class Rewrite>
void Survives(const Json& json, Rewrite rewrite) {
  JsonReader reader;
  Accepts([&] {
    const Json once = rewrite(reader.Parse(json.dump(), "file.json"));
    FLARE_CHECK(rewrite(reader.Parse(once.dump(), "again.json")) == once);
  });
}

void ReadEverything(const Json& json) {
  FLARE_CHECK(FirstDifference(json, json).empty());
  const Json again = ParseJson(JsonText(json), "");
  FLARE_CHECK(again == json || !FirstDifference(json, again).empty());
  Survives(json, [&](const JsonValue& value) { return GridToJson(GridFromJson(value)); });
  Survives(json, [&](const JsonValue& value) { return ConfigToJson(ConfigFromJson(value)); });
  Survives(json, [](const JsonValue& value) { return ResultToJson(ResultFromJson(value)); });
  Accepts([&] {
    const Dfa dfa = DfaFromJson(json, kAlphabet, "manifest.json");
    FLARE_CHECK(DfaFromJson(DfaToJson(dfa), kAlphabet, "") == dfa);
  });
}

}  // namespace

void FuzzJson(std::string_view text) {
  // A grid may name files to read; those of this machine are not what is tried here.
  if (text.find("att") != std::string_view::npos) return;
  Accepts([&] { ReadEverything(ParseJson(text, "file.json")); });
}

}  // namespace flare
