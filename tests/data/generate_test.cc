#include "flare/data/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/lock_file.h"
#include "flare/base/long_work.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/data/verify.h"
#include "flare/languages/source.h"
#include "support/every_language.h"
#include "support/integrity.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

std::map<std::string, std::string> Contents(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), root).string()] = ReadFile(entry.path().string());
    }
  }
  return files;
}

class GenerateTest : public testing::Test {
 protected:
  std::string Flare(const std::string& arguments) {
    const ShellResult result = RunShell(FlareProgram() + " " + arguments, root());
    return result.output +
           (result.exit_code != 0 ? "[exit " + std::to_string(result.exit_code) + "]" : "");
  }
  const fs::path& root() const { return directory_.path(); }

  TemporaryDirectory directory_;
};

constexpr const char* kSmall =
    " --set splits.train.size=200 --set splits.test.size=60 --set splits.validation-short.size=40 "
    "--set splits.validation-long.size=40 --set splits.test-short-held-out.size=40 ";

TEST_F(GenerateTest, BytesDependOnSeedAndNameOnly) {
  Flare(std::string("generate --out one parity dyck-2-3 binary-addition majority") + kSmall);
  Flare(std::string("generate --out two --jobs 4 majority binary-addition parity dyck-2-3") +
        kSmall);
  EXPECT_EQ(Contents(root() / "one"), Contents(root() / "two"));
  EXPECT_EQ(fs::exists(root() / "one" / "parity" / "manifest.json"), true);
  Flare(std::string("generate --out three --seed 1 parity") + kSmall);
  EXPECT_NE(Contents(root() / "one" / "parity").at("main.tok"),
            Contents(root() / "three" / "parity").at("main.tok"));
}

// A split does not change when others are added or resized.
TEST_F(GenerateTest, ExampleDependsOnItsOwnIndexOnly) {
  Flare(std::string("generate --out small parity") + kSmall);
  Flare(std::string("generate --out large parity") + kSmall + "--set splits.train.size=400");
  const auto small = Contents(root() / "small" / "parity"),
             large = Contents(root() / "large" / "parity");
  EXPECT_TRUE(large.at("main.tok").starts_with(small.at("main.tok")));
  EXPECT_EQ(small.at("datasets/test/main.tok"), large.at("datasets/test/main.tok"));
}

TEST_F(GenerateTest, EverythingGeneratedVerifies) {
  EXPECT_EQ(Flare(std::string("generate --all --out d 2>/dev/null") + kSmall), "");
  const std::string table = Flare("verify d/*");
  EXPECT_THAT(table, Not(HasSubstr("wrong")));
  EXPECT_THAT(table, Not(HasSubstr("exit")));
  // Regular languages have an edit-distance set; repeat-01 has too few strings to hold out.
  std::size_t edit_sets = 0;
  for (std::size_t at = 0; (at = table.find("test-edit-distance", at)) != std::string::npos; ++at) {
    ++edit_sets;
  }
  EXPECT_EQ(edit_sets, EntriesWhere(IsRegularOfPaper).size());
}

TEST_F(GenerateTest, HeldOutSplitIsDisjointOrLeftOut) {
  const std::string output = Flare("generate --out d repeat-01 first");
  EXPECT_THAT(output, HasSubstr("repeat-01: test-short-held-out is left out"));
  EXPECT_FALSE(fs::exists(root() / "d/repeat-01/datasets/test-short-held-out"));
  EXPECT_TRUE(fs::exists(root() / "d/first/datasets/test-short-held-out/main.tok"));
  const auto manifest = ReadManifest(root() / "d/repeat-01");
  ASSERT_EQ(manifest->omitted.size(), 1u);
  const std::string table = Flare("verify d/first");
  EXPECT_THAT(table, Not(HasSubstr("wrong")));
}

// Held out from every validation split, also from one that the settings name after it.
TEST_F(GenerateTest, HeldOutSplitIsDrawnAfterAllOthers) {
  Flare(std::string("generate --out d first") + kSmall +
        "--set splits.test-short-held-out.max_length=7 --set splits.validation-late.kind=labelled "
        "--set splits.validation-late.size=100 --set splits.validation-late.max_length=7");
  const std::string table = Flare("verify d/first");
  EXPECT_THAT(table, HasSubstr("validation-late"));
  EXPECT_THAT(table, Not(HasSubstr("wrong")));
}

TEST_F(GenerateTest, KilledGenerationLeavesNothingThatLooksCompleteAndCanBeRunAgain) {
  Flare("generate --all --out whole 2>/dev/null");
  for (const int milliseconds : {5, 30, 90, 200, 350}) {
    RunShell(std::string("timeout -s KILL ") + std::to_string(milliseconds / 1000.0) + " " +
                 FlareProgram() + " generate --all --out killed",
             root());
    if (!fs::exists(root() / "killed")) continue;
    for (const auto& entry : fs::directory_iterator(root() / "killed")) {
      if (entry.path().filename().string()[0] == '.') continue;
      EXPECT_TRUE(fs::exists(entry.path() / "manifest.json")) << entry.path();
    }
  }
  EXPECT_EQ(Flare("generate --all --out killed 2>/dev/null"), "");
  EXPECT_EQ(Contents(root() / "whole"), Contents(root() / "killed"));
}

TEST_F(GenerateTest, RefusesToMixRecipesAndToOverwrite) {
  Flare(std::string("generate --out d parity") + kSmall);
  EXPECT_EQ(Flare(std::string("generate --out d parity") + kSmall), "parity: already there\n");
  EXPECT_EQ(Flare(std::string("generate --out d parity --seed 3") + kSmall),
            "flare: d/parity: exists with a different recipe: seed is 0, not 3\n"
            "choose another directory for the datasets, or remove this one\n[exit 2]");
  EXPECT_EQ(
      Flare(std::string("generate --out d parity") + kSmall + "--set splits.test.size=7"),
      "flare: d/parity: exists with a different recipe: settings.splits.test.size is 60, not 7\n"
      "choose another directory for the datasets, or remove this one\n[exit 2]");
  fs::create_directory(root() / "d" / "first");
  EXPECT_EQ(Flare("generate --out d first"),
            "flare: d/first: exists, but is not a dataset that flare generated\n[exit 2]");
}

TEST_F(GenerateTest, SettingsReachTheData) {
  WriteFileAtomically((root() / "c.toml").string(),
                      "positive_probability = 0.9\n"
                      "[negatives]\nperturbation_probability = 1\nstop_probability = 1.0\n"
                      "[files]\nnext_symbols = false\nlog_probabilities = false\n"
                      "[splits.train]\nsize = 1000\nmin_length = 10\nmax_length = 12\n"
                      "[splits.test]\nsize = 0\n"
                      "[splits.extra]\nkind = \"labelled\"\nsize = 30\nmax_length = 5\n");
  EXPECT_EQ(Flare("generate --out d parity --config c.toml"), "parity: done\n");
  const fs::path parity = root() / "d" / "parity";
  EXPECT_FALSE(fs::exists(parity / "next-symbols.jsonl"));
  EXPECT_FALSE(fs::exists(parity / "log-probabilities.txt"));
  EXPECT_FALSE(fs::exists(parity / "datasets" / "test"));
  const Split extra = ReadSplit(parity, "extra", Alphabet({"0", "1"}));
  EXPECT_EQ(extra.size(), 30u);
  const Split train = ReadSplit(parity, "train", Alphabet({"0", "1"}));
  std::size_t positives = 0;
  for (std::size_t i = 0; i < train.size(); ++i) {
    EXPECT_GE(train.string(i).size(), 10u);
    EXPECT_LE(train.string(i).size(), 12u);
    positives += train.labels[i];
  }
  EXPECT_NEAR(static_cast<double>(positives), 900, 50);
  for (const auto& edits : train.num_edits) EXPECT_EQ(edits, 1u);
}

// Whoever comes second waits, says so, and finds what the first has made.
TEST_F(GenerateTest, OneProcessAtATime) {
  fs::create_directories(root() / "d");
  LockObserver observer;
  auto lock = LockFile::TryAcquire(root() / "d" / ".parity.lock", observer);
  const std::string generate = FlareProgram() + " generate --out d parity" + kSmall + " > log 2>&1";
  RunShell(generate + " & echo $! > pid", root());
  const auto said = [&] { return RunShell("cat log; kill -0 $(cat pid)", root()); };
  while (said().exit_code == 0 && said().output.find("waiting for") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(said().output.starts_with("parity: waiting for process ")) << said().output;
  EXPECT_FALSE(fs::exists(root() / "d" / "parity"));
  lock.reset();
  while (said().exit_code == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_THAT(said().output, HasSubstr("parity: done"));
}

TEST_F(GenerateTest, WaitCanBeStopped) {
  LockObserver observer;
  const auto lock = LockFile::TryAcquire(root() / ".parity.lock", observer);
  const DatasetRequest request{"parity", ResolveLanguage("parity")};
  GenerateOptions options{.out = root(), .config = MakePreset("flare")};
  options.wait.stop = [] { return true; };
  EXPECT_THROW(GenerateDataset(request, options), WaitStopped);
  options.wait.stop = nullptr;
  struct Interrupted {};
  const Interruption interruption([] { throw Interrupted{}; });
  EXPECT_THROW(GenerateDataset(request, options), Interrupted);
}

// Nobody finds half of it.
TEST_F(GenerateTest, ConcurrentCallsMakeOneDataset) {
  Flare(std::string("generate --out alone parity first") + kSmall);
  for (int round = 0; round < 10; ++round) {
    const std::string generate = FlareProgram() + " generate --out pair parity first" + kSmall;
    const ShellResult both = RunShell(
        "rm -rf pair; " + generate + " & " + generate + "; second=$?; wait $! && exit $second",
        root());
    EXPECT_EQ(both.exit_code, 0) << both.output;
    EXPECT_EQ(Contents(root() / "pair"), Contents(root() / "alone"));
  }
}

// Where a dataset is made, others may have left something, which is neither removed nor followed;
// what a generation that was killed left is.
TEST_F(GenerateTest, RemovesOnlyWhatKilledGenerationsLeft) {
  const std::string generate = std::string("generate --out d parity") + kSmall;
  const fs::path partial = root() / "d/.parity.partial", mine = root() / "mine";
  fs::create_directories(mine);
  WriteFile(mine / "notes", "mine");
  const auto foreign = [&](const std::string& command) {
    RunShell(command, root());
    EXPECT_EQ(Flare(generate),
              "flare: d/.parity.partial: stands where flare would make the dataset\n"
              "it is not a folder that flare was filling: move it away\n[exit 2]");
    EXPECT_TRUE(fs::exists(fs::symlink_status(partial)));
    EXPECT_EQ(ReadFile(mine / "notes"), "mine");
  };
  foreign("mkdir d; echo mine > d/.parity.partial");
  foreign("rm d/.parity.partial; ln -s ../mine d/.parity.partial");
  foreign("rm d/.parity.partial; mkdir d/.parity.partial; echo mine > d/.parity.partial/notes");
  // Beside a dataset that is whole it is not in the way.
  fs::rename(partial, root() / "saved");
  EXPECT_EQ(Flare(generate), "parity: done\n");
  fs::rename(root() / "saved", partial);
  EXPECT_EQ(Flare(generate), "parity: already there\n");
  EXPECT_EQ(ReadFile(partial / "notes"), "mine\n");
}

TEST_F(GenerateTest, RepairsWhatIsMissingOrChanged) {
  const std::string generate = std::string("generate --out d dyck-2-3") + kSmall;
  Flare(generate);
  const auto whole = Contents(root() / "d");
  const fs::path dataset = root() / "d" / "dyck-2-3";
  WriteFile(dataset / "notes.txt", "mine");
  fs::remove_all(dataset / "datasets" / "test");
  WriteFile(dataset / "labels.txt", "0\n");
  std::string other = ReadFile(dataset / "main.tok");
  other[0] = other[0] == '(' ? ')' : '(';
  WriteFile(dataset / "main.tok", other);
  const std::string refused = Flare(generate);
  EXPECT_THAT(refused, HasSubstr("exists, but "));
  for (const char* file : {"labels.txt", "main.tok", "datasets/test/labels.txt"}) {
    EXPECT_THAT(refused, HasSubstr(file));
  }
  EXPECT_THAT(refused, Not(HasSubstr("validation-short")));
  EXPECT_TRUE(refused.ends_with("--repair restores what is missing or has changed\n[exit 2]"));

  const std::string repaired = Flare(generate + " --repair");
  EXPECT_THAT(repaired, HasSubstr("dyck-2-3: main.tok restored\n"));
  EXPECT_EQ(ReadFile(dataset / "notes.txt"), "mine");
  fs::remove(dataset / "notes.txt");
  EXPECT_EQ(Contents(root() / "d"), whole);
  EXPECT_EQ(Flare(generate + " --repair"), "dyck-2-3: already there\n");
}

// Of which nothing can be read any more; the other files say whether it is the same dataset.
TEST_F(GenerateTest, RepairsADamagedManifest) {
  const std::string generate = std::string("generate --out d parity") + kSmall;
  Flare(generate);
  const auto whole = Contents(root() / "d");
  const fs::path manifest = root() / "d/parity/manifest.json",
                 labels = root() / "d/parity/labels.txt";
  std::string changed = ReadFile(manifest);
  changed[changed.find("parity")] = 'q';
  WriteFile(manifest, changed);
  EXPECT_TRUE(
      Flare(generate).ends_with("--repair makes it again if all else is as it was\n[exit 2]"));
  const std::string other = Flare(generate + " --repair --seed 1");
  EXPECT_THAT(other, HasSubstr("is not what the recipe gives, and the manifest is damaged"));
  EXPECT_EQ(ReadFile(manifest), changed);
  EXPECT_EQ(Flare(generate + " --repair"), "parity: manifest.json restored\nparity: done\n");
  EXPECT_EQ(Contents(root() / "d"), whole);
}

TEST_F(GenerateTest, RepairsNothingThroughALink) {
  const std::string generate = std::string("generate --out d parity --repair") + kSmall;
  Flare(generate);
  const fs::path split = root() / "d/parity/datasets/test", elsewhere = root() / "elsewhere";
  fs::remove_all(split);
  fs::create_directories(elsewhere);
  WriteFile(elsewhere / "labels.txt", "mine");
  fs::create_directory_symlink(elsewhere, split);
  EXPECT_THAT(Flare(generate), HasSubstr("datasets/test: is a link"));
  EXPECT_EQ(ReadFile(elsewhere / "labels.txt"), "mine");
  // Nor is a link itself replaced.
  fs::remove(split);
  fs::create_directory(split);
  fs::create_symlink(elsewhere / "labels.txt", split / "labels.txt");
  EXPECT_THAT(Flare(generate), HasSubstr("datasets/test/labels.txt: is a link"));
  EXPECT_TRUE(fs::is_symlink(split / "labels.txt"));
}

// A program that makes different bytes, as one of a later version might, repairs nothing.
TEST_F(GenerateTest, RepairsOnlyWhatItCanMakeAgain) {
  const std::string generate = std::string("generate --out d parity --repair") + kSmall;
  Flare(generate);
  const fs::path dataset = root() / "d" / "parity";
  std::string manifest = WithoutCheck(ReadFile(dataset / "manifest.json"));
  const std::string hash = ReadManifest(dataset)->files.at("labels.txt").sha256;
  manifest.replace(manifest.find(hash), hash.size(), std::string(hash.size(), 'a'));
  WriteFile(dataset / "manifest.json", manifest);
  const auto before = Contents(root() / "d");
  const std::string refusal = Flare(generate);
  EXPECT_THAT(refusal, HasSubstr("labels.txt: cannot be made again"));
  EXPECT_THAT(refusal, HasSubstr("its hash in manifest.json is not that of what the recipe gives"));
  EXPECT_EQ(Contents(root() / "d"), before);
  const std::string program = ReadManifest(dataset)->program;
  manifest.replace(manifest.find(program), program.size(), "flare 9.9");
  WriteFile(dataset / "manifest.json", manifest);
  EXPECT_THAT(Flare(generate), HasSubstr("flare 9.9 made it; this program makes different bytes"));
}

TEST_F(GenerateTest, AllOfMlregtestIsTheRegularLanguages) {
  EXPECT_EQ(Flare("generate --all --preset mlregtest --size 40 --out m 2>/dev/null"), "");
  EXPECT_EQ(static_cast<std::size_t>(std::distance(fs::directory_iterator(root() / "m"), {})),
            EntriesWhere(IsRegularOfPaper).size());
}

TEST_F(GenerateTest, TheSameAutomatonIsTheSameRecipe) {
  Flare(std::string("generate --out d 'regex:(a|b)*c' --name mine") + kSmall);
  EXPECT_EQ(Flare(std::string("generate --out d 'regex:[ab]*c' --name mine") + kSmall),
            "mine: already there\n");
}

TEST_F(GenerateTest, BadSettingsAreNamed) {
  WriteFileAtomically((root() / "bad.toml").string(), "[splits.train]\nsize = 10\nsizee = 3\n");
  EXPECT_EQ(Flare("generate --out d parity --config bad.toml"),
            "flare: bad.toml:3: unknown setting 'splits.train.sizee'\n"
            "did you mean splits.train.size?\n[exit 2]");
  WriteFileAtomically((root() / "bad.toml").string(), "a = [\n");
  EXPECT_TRUE(Flare("generate --out d parity --config bad.toml").starts_with("flare: bad.toml:"));
  EXPECT_EQ(Flare("generate --out d parity --set positive_probability=2"),
            "flare: --set: positive_probability: '2' is not a probability in [0, 1]\n[exit 2]");
  EXPECT_EQ(
      Flare("generate --out d parity --set splits.test.max_length=-1"),
      "flare: --set: splits.test.max_length: '-1' is not a number from 0 to 100000000\n[exit 2]");
  EXPECT_EQ(Flare("generate --out d parity --set splits.test.min_length=501"),
            "flare: splits.test: min_length 501 is above max_length 500\n[exit 2]");
  EXPECT_EQ(Flare("generate --out d parity --set splits.trian.size=5"),
            "flare: --set: unknown setting 'splits.trian.size'\n"
            "did you mean splits.train.size?\n[exit 2]");
  EXPECT_EQ(Flare("generate --out d parity --set negatives.stop_probability=0"),
            "flare: negatives.stop_probability: 0 is below 0.001\n[exit 2]");
  EXPECT_EQ(Flare("generate --out d parity --preset mlregtest --size 0"),
            "flare: every split has size 0: there is nothing to make\n[exit 2]");
  EXPECT_EQ(Flare("generate --out d parity --preset mlregtest --size 18446744073709551614"),
            "flare: --size: splits.train.size: '18446744073709551614' is not a number from 0 to "
            "100000000\n[exit 2]");
  EXPECT_EQ(Flare("generate --out d parity --set splits.../x.kind=labelled"),
            "flare: --set: '../x' cannot be the name of a directory\n"
            "expected up to 100 characters without '/', not starting with '.'\n[exit 2]");
  EXPECT_FALSE(fs::exists(root() / "d"));
}

TEST_F(GenerateTest, WorksForLanguagesOfUsersOwn) {
  EXPECT_EQ(Flare(std::string("generate --out d 'regex:(ab|c)*' --name mine") + kSmall),
            "mine: done\n");
  const std::string table = Flare("verify d/mine");
  EXPECT_THAT(table, Not(HasSubstr("wrong")));
  EXPECT_THAT(table, HasSubstr("test-edit-distance"));
  EXPECT_EQ(Flare("generate --out d 'regex:a*'"),
            "flare: regex:a*: needs a directory name\ngive one with --name\n[exit 2]");
  EXPECT_EQ(Flare("generate --out d 'regex:a*b' --name ../escape"),
            "flare: --name: '../escape' cannot be the name of a directory\n"
            "expected up to 100 characters without '/', not starting with '.'\n[exit 2]");
  EXPECT_FALSE(fs::exists(root() / "escape"));
}

TEST_F(GenerateTest, ANameOfThePaperIsForItsLanguageOnly) {
  EXPECT_EQ(Flare("generate --out d 'regex:(0|1)*' --name parity"),
            "flare: --name: 'parity' is the name of a language of the paper, which 'regex:(0|1)*' "
            "is not: it has the empty string\nchoose another name\n[exit 2]");
  EXPECT_FALSE(fs::exists(root() / "d"));
  EXPECT_EQ(Flare(std::string("generate --out d 'regex:(0*10*1)*0*10*' --name parity") + kSmall),
            "parity: done\n");
}

TEST_F(GenerateTest, UnwritableDirectoryIsTheMachinesFault) {
  const std::string output = Flare("generate --out /proc/nowhere parity");
  EXPECT_TRUE(output.starts_with("flare: /proc/nowhere: cannot create")) << output;
  EXPECT_TRUE(output.ends_with("[exit 3]")) << output;
}

}  // namespace
}  // namespace flare
