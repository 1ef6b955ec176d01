// MLRegTest's own names for its languages, Σ.τ.class.k.t.i, where the user has its automata: set
// FLARE_MLREGTEST to the folder of its .att files. Next to it, its repository has a folder
// state-counts with a file for each: "states,elements of the monoid,D-classes".

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/text_formats.h"
#include "flare/base/file.h"
#include "flare/classes/classification.h"
#include "support/witness_checker.h"

namespace flare {
namespace {

std::vector<std::string> Fields(const std::string& name) {
  std::vector<std::string> fields{""};
  for (const char c : name) {
    if (c == '.') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

TEST(MLRegTestClasses, AreFoundAsNamed) {
  const char* folder = std::getenv("FLARE_MLREGTEST");
  if (folder == nullptr) GTEST_SKIP() << "FLARE_MLREGTEST does not name a folder of .att files";
  // The class, and whether its k is one that is decided.
  const std::map<std::string, std::pair<std::string, bool>> classes = {
      {"SL", {"strictly_local", true}},
      {"coSL", {"co_strictly_local", true}},
      {"TSL", {"tier_strictly_local", true}},
      {"TcoSL", {"tier_co_strictly_local", true}},
      {"SP", {"strictly_piecewise", true}},
      {"coSP", {"co_strictly_piecewise", true}},
      {"LT", {"locally_testable", true}},
      {"TLT", {"tier_locally_testable", true}},
      {"PT", {"piecewise_testable", false}},
      {"LTT", {"locally_threshold_testable", false}},
      {"TLTT", {"tier_locally_threshold_testable", false}},
      {"PLT", {"dot_depth_one", false}},
      {"TPLT", {"tier_dot_depth_one", false}},
      {"SF", {"star_free", false}}};
  std::size_t seen = 0, counted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".att") continue;
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const auto fields = Fields(name);
    ASSERT_EQ(fields.size(), 6u);
    const Dfa dfa = ParseAtt(ReadFile(entry.path().string()), name, {});
    const classes::Classification c = classes::Classify(dfa);
    WitnessChecker checker(Minimize(dfa));
    for (const auto& [key, property] : c.properties) {
      if (property.holds) EXPECT_TRUE(checker.Check(key, property)) << key;
    }
    if (const auto found = classes.find(fields[2]); found != classes.end()) {
      const auto& [key, decides_k] = found->second;
      EXPECT_EQ(c.At(key).holds, true);
      const auto& k = c.At(key).k;
      EXPECT_TRUE(!decides_k || k);
      if (k) EXPECT_EQ(std::to_string(*k), fields[3]);
    } else {
      ASSERT_TRUE(fields[2] == "Zp" || fields[2] == "Reg") << fields[2];
      EXPECT_EQ(c.At("star_free").holds, false);
    }
    ++seen;
    const auto counts = std::filesystem::path(folder).parent_path() / "state-counts" / name;
    if (!std::filesystem::exists(counts)) continue;
    EXPECT_EQ(c.monoid.limit, "");
    // Theirs are without the sink.
    EXPECT_EQ(fmt::format("{},{},{}\n", c.num_states - (c.sink ? 1 : 0), c.monoid.size,
                          c.monoid.d_classes),
              ReadFile(counts));
    ++counted;
  }
  EXPECT_GT(seen, 0u);
  RecordProperty("with_counts", static_cast<int>(counted));
}

}  // namespace
}  // namespace flare
