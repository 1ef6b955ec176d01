#include "flare/languages/source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "support/shell.h"

namespace flare {
namespace {

NamedLanguage SavedAndLoaded(const NamedLanguage& language) {
  const std::string text = ToJson(SaveLanguage(language)).dump();
  return LoadLanguage(SavedLanguageFromJson(Json::parse(text)), "manifest.json");
}

std::string LoadError(const std::string& json) {
  try {
    LoadLanguage(SavedLanguageFromJson(Json::parse(json)), "manifest.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// A text for each line of the table: a line without one fails.
TEST(Sources, GiveTheSameLanguageAfterItWasSaved) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "a.txt";
  WriteFileAtomically(file, FormatAtt(*ResolveLanguage("dyck-2-3").language->dfa()));
  const std::string grammar = directory.path() / "g.cfg";
  WriteFileAtomically(grammar, "S -> S S [0.25] | 'a' S 'b' [0.5] | [0.25]\n");
  const std::string automaton = directory.path() / "04.03.TLT.2.1.0.att";
  WriteFileAtomically(automaton, "0 0 a a\n0 1 b b\n1 0 a a\n1\n");
  ::setenv("FLARE_MLREGTEST", directory.path().c_str(), 1);
  const std::vector<std::string> texts = {"regex:(ab|c)*",
                                          "att:" + file,
                                          "cfg:" + grammar,
                                          "",  // a program is not loaded: command_test.cc
                                          "group:D4",
                                          "random:states=5,symbols=2,seed=1",
                                          "small:3:17",
                                          "mlregtest:04.03.TLT.2.1.0",
                                          "combine:{att:" + file + "} - reverse {regex:(\\(0)+}",
                                          "",  // python: belongs to the Python module
                                          "majority"};
  ASSERT_EQ(texts.size(), Sources().size());
  std::vector<NamedLanguage> languages;
  for (const std::string& text : texts) {
    languages.push_back(ResolveLanguage(text.empty() ? "parity" : text));
  }
  // A manifest is read where its files are not.
  for (const std::string& gone : {file, grammar, automaton}) std::filesystem::remove(gone);
  ::unsetenv("FLARE_MLREGTEST");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    const NamedLanguage& language = languages[i];
    EXPECT_EQ(&SourceOf(texts[i]), &Sources()[i]);
    const NamedLanguage again = SavedAndLoaded(language);
    EXPECT_EQ(again.name, texts[i]);
    EXPECT_EQ(again.language_class, language.language_class);
    EXPECT_EQ(again.definition, language.definition);
    EXPECT_EQ(again.identity, language.identity);
    EXPECT_EQ(again.envelope, language.envelope);
    EXPECT_EQ(again.language->alphabet(), language.language->alphabet());
    const auto sampler = language.language->MakeSampler({0, 20});
    Rng rng = Rng::For(0, texts[i]);
    String w;
    for (int draw = 0; draw < 100; ++draw) {
      sampler->Sample(rng, w);
      EXPECT_TRUE(again.language->Contains(w));
      w.push_back(w.empty() ? Symbol{} : w.front());
      EXPECT_EQ(again.language->Contains(w), language.language->Contains(w));
    }
  }
}

TEST(Sources, RefuseWhatWasSavedBadly) {
  const std::string common = R"(, "class": "R", "definition": "", "alphabet": ["0", "1"])";
  EXPECT_EQ(LoadError(R"({"source": "att:/dev/zero")" + common + "}"),
            "manifest.json: language 'att:/dev/zero' has no automaton");
  EXPECT_EQ(LoadError(R"({"source": "regex:a", "automaton": null)" + common + "}"),
            "manifest.json: language 'regex:a' has no automaton");
  EXPECT_EQ(LoadError(R"({"source": "regex:a", "automaton": {"states": 1, "start": 0,
                          "accepting": [], "transitions": []})" +
                      common + "}"),
            "manifest.json: the language is empty: it has no strings");
  EXPECT_EQ(LoadError(R"({"source": "partiy", "automaton": null)" + common + "}"),
            "manifest.json: unknown language 'partiy'");
  EXPECT_EQ(LoadError(R"({"source": "parity", "automaton": {"states": 1})" + common + "}"),
            "manifest.json: parity is built in, but is also defined here");
  EXPECT_EQ(LoadError(R"({"source": "parity", "automaton": null)" + common + "}"), "accepted");
  EXPECT_EQ(LoadError(R"({"source": "cfg:/dev/zero")" + common + "}"),
            "manifest.json: language 'cfg:/dev/zero' has no grammar");
  EXPECT_EQ(LoadError(R"({"source": "cfg:g", "grammar": ["S -> '0' T"])" + common + "}"),
            "manifest.json: grammar:1:10: the nonterminal 'T' has no rules");
  EXPECT_EQ(LoadError(R"({"source": "cfg:g", "grammar": [1])" + common + "}"),
            "manifest.json: language 'cfg:g' has no grammar");
}

TEST(Sources, AreNamedWhereAUserIsToldOfThem) {
  EXPECT_EQ(DefinitionForms().size(), Sources().size() - 2);  // but for names and python:
  EXPECT_EQ(DefinitionForms()[0], "regex:PATTERN");
  EXPECT_EQ(SourcesThatTake("--generators"), std::vector<std::string>{"group:"});
  EXPECT_TRUE(IsDefinition("regex:parity"));
  EXPECT_FALSE(IsDefinition("parity"));
  // These can be directories and entries of a grid as they are.
  EXPECT_FALSE(IsDefinition("group:S5"));
  EXPECT_FALSE(IsDefinition("random:states=3,symbols=2,seed=0"));
}

}  // namespace
}  // namespace flare
