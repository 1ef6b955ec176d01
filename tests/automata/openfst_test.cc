// OpenFst's own tools as judges: they must read what we write, and we what they write, as the same
// language.

#include <gtest/gtest.h>

#include <string>

#include "flare/automata/operations.h"
#include "flare/automata/text_formats.h"
#include "flare/base/file.h"
#include "flare/languages/catalog.h"
#include "support/installed.h"
#include "support/random_automata.h"
#include "support/shell.h"

namespace flare {
namespace {

class OpenFst : public testing::Test {
 protected:
  void SetUp() override {
    if (!Installed("fstcompile")) GTEST_SKIP() << "OpenFst's fstcompile is not installed";
  }
  void Write(const std::string& name, const std::string& text) {
    WriteFileAtomically((directory_.path() / name).string(), text);
  }
  std::string Read(const std::string& name) {
    return ReadFile((directory_.path() / name).string());
  }
  std::string Run(const std::string& command) {
    const ShellResult result = RunShell("set -eo pipefail; " + command, directory_.path());
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.output;
    return result.output;
  }
  // Writes the automaton as NAME.txt with `symbols`, compiles it to NAME.fst.
  void Compile(const Dfa& dfa, const std::string& name) {
    Write(name + ".txt", FormatAtt(dfa));
    Write("symbols", FormatSymbolTable(dfa.alphabet()));
    Run("fstcompile --isymbols=symbols --osymbols=symbols " + name + ".txt " + name + ".fst");
  }
  Dfa ReadBack(const std::string& name) {
    const auto table = ParseSymbolTable(Read("symbols"), "symbols");
    return ParseAtt(Read(name), name, {.symbols = table});
  }

  TemporaryDirectory directory_;
};

std::string InfoField(const std::string& info, const std::string& field) {
  const std::size_t begin = info.find(field);
  const std::size_t end = info.find('\n', begin);
  const std::string line = info.substr(begin, end - begin);
  return line.substr(line.rfind(' ') + 1);
}

TEST_F(OpenFst, ReadsTheBuiltinAutomataAsTheyAre) {
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    const Dfa* dfa = language->dfa();
    if (dfa == nullptr) continue;
    Compile(*dfa, "a");
    const std::string info = Run("fstinfo a.fst");
    EXPECT_EQ(InfoField(info, "# of states"), std::to_string(dfa->num_states())) << entry.name;
    EXPECT_EQ(InfoField(info, "# of arcs"), std::to_string(dfa->num_transitions())) << entry.name;
    EXPECT_EQ(InfoField(info, "initial state"), "0") << entry.name;
    EXPECT_EQ(InfoField(info, "acceptor"), "y") << entry.name;
    EXPECT_EQ(InfoField(info, "input deterministic"), "y") << entry.name;
    // Minimal for OpenFst too, and the same after a round trip in each of its notations.
    EXPECT_EQ(InfoField(Run("fstminimize a.fst | fstinfo"), "# of states"),
              std::to_string(dfa->num_states()));
    Run("fstprint --isymbols=symbols --osymbols=symbols a.fst names");
    Run("fstprint a.fst numbers");
    Run("fstprint --acceptor --isymbols=symbols a.fst acceptor");
    for (const char* notation : {"names", "numbers", "acceptor"}) {
      EXPECT_EQ(ReadBack(notation), *dfa) << entry.name << " as " << notation;
    }
  }
}

TEST_F(OpenFst, AgreesOnRandomAutomata) {
  int different = 0;
  for (std::uint64_t i = 0; i < 25; ++i) {
    Rng rng = Rng::For(0, "openfst", i);
    const Dfa a = Minimize(RandomDfa(5, Letters(2), 0.7, rng));
    const Dfa b = Minimize(RandomDfa(5, Letters(2), 0.7, rng));
    if (IsEmpty(a) || IsEmpty(b)) continue;
    Compile(a, "a");
    Compile(b, "b");
    const auto equivalent = [&](const std::string& x, const std::string& y) {
      const ShellResult result = RunShell("fstequivalent " + x + " " + y, directory_.path());
      EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 2) << result.output;
      return result.exit_code == 0;
    };
    EXPECT_EQ(equivalent("a.fst", "b.fst"), a == b);
    different += a == b ? 0 : 1;

    Effort effort("test");
    const Dfa both = Intersect(a, b, effort);
    Run("fstintersect a.fst b.fst | fstrmepsilon | fstdeterminize | fstminimize > both.fst");
    if (!IsEmpty(both)) {
      Compile(both, "ours");
      EXPECT_TRUE(equivalent("both.fst", "ours.fst"));
    } else {
      EXPECT_EQ(InfoField(Run("fstconnect both.fst | fstinfo"), "# of states"), "0");
    }

    // Nondeterministic, with ε, from their union; determinized by us and by them.
    Run("fstunion a.fst b.fst union.fst");
    Run("fstprint --isymbols=symbols --osymbols=symbols union.fst union.txt");
    Compile(ReadBack("union.txt"), "ours");
    Run("fstrmepsilon union.fst | fstdeterminize | fstminimize > theirs.fst");
    EXPECT_TRUE(equivalent("theirs.fst", "ours.fst"));
  }
  EXPECT_GT(different, 5);
}

}  // namespace
}  // namespace flare
