// command:FILE, with programs that behave and programs that do not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/languages/source.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class CommandSource : public testing::Test {
 protected:
  // A shell script that answers each line by `body`, in which $verb and $rest are the question.
  std::string Program(const std::string& body, const std::string& name = "oracle") {
    const fs::path path = directory_.path() / name;
    WriteFileAtomically(path, "#!/bin/sh\nwhile read -r verb rest; do\n" + body + "\ndone\n");
    fs::permissions(path, fs::perms::owner_all);
    return "command:" + path.string();
  }
  std::string Refusal(const std::string& body) {
    const std::string text = Program(body, "bad" + std::to_string(++programs_));
    return RefusalOf([&] {
      const NamedLanguage l = ResolveLanguage(text);
      String w;
      Rng rng = Rng::For(0, "command");
      const auto sampler = l.language->MakeSampler({2, 4});
      sampler->Sample(rng, w);
      NextSymbolSets sets(l.language->alphabet().size());
      l.language->NextSymbols(w, sets);
    });
  }

  TemporaryDirectory directory_;
  int programs_ = 0;
};

// a, then any number of b.
constexpr const char* kWellBehaved = R"(
  case "$verb" in
    alphabet) echo "b a" ;;
    contains) case "$rest" in a|"a b"|"a b b"|"a b b b") echo 1 ;; *) echo 0 ;; esac ;;
    sample) case "$rest" in 0\ 0\ *) echo "-" ;; *) echo "= a b b" ;; esac ;;
    next) case "$rest" in "") echo "0 a" ;; *) echo "1 b" ;; esac ;;
  esac)";

TEST_F(CommandSource, AsksTheProgram) {
  const NamedLanguage l = ResolveLanguage(Program(kWellBehaved));
  EXPECT_EQ(l.language->alphabet().names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(l.language_class, LanguageClass::kUnknown);
  const String abb = l.language->alphabet().Parse("a b b", "");
  EXPECT_TRUE(l.language->Contains(abb));
  EXPECT_FALSE(l.language->Contains(String{}));
  const auto sampler = l.language->MakeSampler({1, 4});
  EXPECT_EQ(sampler->density(), nullptr);
  Rng rng = Rng::For(0, "command");
  String w;
  sampler->Sample(rng, w);
  EXPECT_EQ(w, abb);
  NextSymbolSets sets(2);
  l.language->NextSymbols(abb, sets);
  ASSERT_EQ(sets.size(), 4u);
  EXPECT_TRUE(sets.Contains(0, SymbolAt(0)));
  EXPECT_FALSE(sets.ContainsEos(0));
  EXPECT_TRUE(sets.ContainsEos(3));
  EXPECT_EQ(RefusalOf([&] {
              l.language->MakeSampler({0, 0});
            }),
            "the language has no string with a length in [0, 0]");
}

TEST_F(CommandSource, ChecksWhatTheProgramAnswers) {
  const auto has = [&](const std::string& body, const std::string& message) {
    const std::string refusal = Refusal(body);
    EXPECT_THAT(refusal, HasSubstr(message)) << body;
  };
  has("echo", "answers '' to 'alphabet'; expected symbols separated by spaces");
  has("echo 'I am sorry' >&2; exit 3",
      "has ended; it was asked 'alphabet'; its last words: I am sorry");
  const std::string alphabet = "[ $verb = alphabet ] && echo a b\n";
  has(alphabet + "[ $verb = sample ] && echo = c c", "expected symbols of its alphabet");
  has(alphabet + "[ $verb = sample ] && echo = a", "expected a length in [2, 4]");
  has(alphabet + "[ $verb = sample ] && echo a a", "expected = and a string, or -");
  has(alphabet + "[ $verb = sample ] && echo = a a\n[ $verb = contains ] && echo 0",
      "expected a member");
  has(alphabet + "[ $verb = sample ] && echo = a a\n[ $verb = contains ] && echo yes",
      "answers 'yes' to 'contains a a'; expected 1 or 0");
  const std::string sampled =
      alphabet + "[ $verb = sample ] && echo = a a\n[ $verb = contains ] && echo 1\n";
  has(sampled + "[ $verb = next ] && echo '?'", "does not say which symbols can come next");
  has(sampled + "[ $verb = next ] && echo '0 x'", "expected symbols of its alphabet");
  has(sampled + "[ $verb = next ] && echo 0",
      "answers '0' to 'next'; expected what comes next in 'a a'");
  has(sampled + "[ $verb = next ] && echo '0 a b'",
      "answers '0 a b' to 'next a a'; expected what comes next in 'a a'");
  has(alphabet +
          "[ $verb = sample ] && echo = a a\n[ $verb = contains ] && printf '1\\n0\\n'\n"
          "[ $verb = next ] && echo 1 a b",
      "says '0' without being asked");
  has(sampled + "[ $verb = next ] && exit", "has ended; it was asked 'next'");
}

TEST_F(CommandSource, NamesWhatCannotBeRun) {
  EXPECT_EQ(RefusalOf([] { ResolveLanguage("command:/no/such/program"); }),
            "/no/such/program: no such file");
  const fs::path path = directory_.path() / "not-executable";
  WriteFileAtomically(path, "echo\n");
  EXPECT_THAT(RefusalOf([&] { ResolveLanguage("command:" + path.string()); }),
              HasSubstr("cannot be run"));
}

TEST_F(CommandSource, IsNotStartedByAManifest) {
  const fs::path started = directory_.path() / "started";
  const std::string text = Program(kWellBehaved);
  const SavedLanguage saved = SaveLanguage(ResolveLanguage(text));
  Program("touch " + started.string());
  EXPECT_FALSE(saved.IsLoadable());
  EXPECT_THAT(RefusalOf([&] { LoadLanguage(saved, "manifest.json"); }),
              HasSubstr("no code is run"));
  EXPECT_FALSE(fs::exists(started));
}

// A program that writes much before it reads, and strings larger than a socket's buffer.
TEST_F(CommandSource, TakesLongStrings) {
  const NamedLanguage l = ResolveLanguage(
      Program("case $verb in alphabet) echo a ;; contains) echo ${#rest} >&2; echo 1 ;; esac"));
  EXPECT_TRUE(l.language->Contains(String(200'000, SymbolAt(0))));
}

}  // namespace
}  // namespace flare
