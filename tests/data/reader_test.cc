#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/data/flare_files.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// A good dataset of three strings, whose files a test then damages.
class ReaderTest : public testing::Test {
 protected:
  ReaderTest() {
    Write("main.tok", "0 1\n\n1 1 0\n");
    Write("labels.txt", "1\n0\n0\n");
    Write("next-symbols.jsonl",
          "[{\"s\":\"0 1\",\"e\":false},{\"s\":\"0 1\",\"e\":false},{\"s\":\"0 1\",\"e\":true}]\n");
    Write("log-probabilities.txt", "-1.5\n");
    Write("num-edits.txt", "\n2\n");
    Write("edit-distances.txt", "1\n1\n");
  }

  void Write(const std::string& name, const std::string& contents) {
    WriteFileAtomically((directory_.path() / name).string(), contents);
  }
  Split Read() { return ReadSplit(directory_.path(), "train", Alphabet({"0", "1"})); }
  // The reader's complaint, without the directory.
  std::string ErrorOf() {
    try {
      Read();
    } catch (const InputError& error) {
      const std::string text = error.what(), prefix = directory_.path().string() + "/";
      return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    }
    return "accepted";
  }

  TemporaryDirectory directory_;
};

TEST_F(ReaderTest, KeepsEverythingEmptyStringsIncluded) {
  const Split split = Read();
  ASSERT_EQ(split.size(), 3u);
  EXPECT_EQ(split.string(0).size(), 2u);
  EXPECT_TRUE(split.string(1).empty());
  EXPECT_EQ(split.string(2)[1], SymbolAt(1));
  EXPECT_EQ(split.labels, (std::vector<std::uint8_t>{1, 0, 0}));
  ASSERT_EQ(split.next_symbols.size(), 3u);
  EXPECT_FALSE(split.next_symbols.ContainsEos(1));
  EXPECT_TRUE(split.next_symbols.ContainsEos(2));
  EXPECT_EQ(split.log_probabilities, std::vector<double>{-1.5});
  EXPECT_EQ(split.num_edits, (std::vector<std::optional<std::size_t>>{{}, 2}));
  EXPECT_EQ(split.edit_distances, (std::vector<std::size_t>{1, 1}));
}

TEST_F(ReaderTest, ReadsBackWhatIsFormatted) {
  const Split split = Read();
  for (const auto& [file, contents] : FormatSplit(Alphabet({"0", "1"}), split)) {
    EXPECT_EQ(contents, ReadFile((directory_.path() / file).string())) << file;
  }
}

TEST_F(ReaderTest, NamesFileAndLineOfEveryFault) {
  const auto expect = [&](const char* file, const std::string& contents, const char* message) {
    const std::string good = ReadFile((directory_.path() / file).string());
    Write(file, contents);
    EXPECT_EQ(ErrorOf(), message) << file << ": " << contents;
    Write(file, good);
    EXPECT_EQ(ErrorOf(), "accepted");
  };
  expect("main.tok", "0 1\n\n1 2 0\n", "main.tok:3: unknown symbol '2'");
  expect("main.tok", "0 1\n \n1 1 0\n",
         "main.tok:2: stray space; symbols are separated by single spaces");
  expect("main.tok", "0 1\n\n1 1",
         "main.tok:3: the last line has no newline: the file may be cut off");
  expect("main.tok", "0 1\n\n", "labels.txt: 3 lines, expected 2: one per line of main.tok");
  expect("labels.txt", "1\n0\n2\n", "labels.txt:3: label '2' is not 0 or 1");
  expect("labels.txt", "1\n0\n01\n", "labels.txt:3: label '01' is not 0 or 1");
  expect("labels.txt", "1\n1\n0\n",
         "next-symbols.jsonl: 1 lines, expected 2: one per positive example");
  expect("next-symbols.jsonl", "[{\"s\":\"0 1\",\"e\":false}]\n",
         "next-symbols.jsonl:1: 1 next-symbol sets, expected 3 for a string of 2 symbols");
  expect("next-symbols.jsonl", "[{\"s\":\"0 2\",\"e\":false}]\n",
         "next-symbols.jsonl:1: unknown symbol '2'");
  expect("next-symbols.jsonl", "[{\"s\":\"0\"}]\n",
         "next-symbols.jsonl:1: a set needs the keys \"s\" and \"e\"");
  expect("next-symbols.jsonl", "[{\"s\":\"0\",\"e\":true,\"x\":1}]\n",
         "next-symbols.jsonl:1: unexpected key 'x'");
  expect("next-symbols.jsonl", "[{\"s\":\"0\",\"s\":\"1\",\"e\":true}]\n",
         "next-symbols.jsonl:1: unexpected key 's'");
  expect("log-probabilities.txt", "-inf\n", "log-probabilities.txt:1: '-inf' is not a logarithm");
  expect("log-probabilities.txt", "-1.5x\n", "log-probabilities.txt:1: '-1.5x' is not a logarithm");
  expect("log-probabilities.txt", "",
         "log-probabilities.txt: 0 lines, expected 1: one per positive example");
  expect("num-edits.txt", "1\n-1\n", "num-edits.txt:2: '-1' is not a number of edits");
  expect("edit-distances.txt", "1\n\n", "edit-distances.txt:2: '' is not an edit distance");
  for (const char* json : {"{}", "[1]", "[{\"s\":1,\"e\":true}]", "[{\"s\":\"0\",\"e\":\"x\"}]",
                           "[", "[] []", "", "[{\"s\":\"0\",\"e\":true}"}) {
    Write("next-symbols.jsonl", std::string(json) + "\n");
    EXPECT_TRUE(ErrorOf().starts_with("next-symbols.jsonl:1: not an array of next-symbol sets"))
        << json << ": " << ErrorOf();
  }
}

TEST_F(ReaderTest, OptionalFilesAreOptional) {
  for (const char* file :
       {"next-symbols.jsonl", "log-probabilities.txt", "num-edits.txt", "edit-distances.txt"}) {
    fs::remove(directory_.path() / file);
  }
  const Split split = Read();
  EXPECT_FALSE(split.has_next_symbols || split.has_log_probabilities || split.has_num_edits ||
               split.has_edit_distances);
  fs::remove(directory_.path() / "labels.txt");
  EXPECT_EQ(ErrorOf(), "labels.txt: no such file");
}

TEST_F(ReaderTest, FindsTheAlphabet) {
  Write("main.tok", "b a\n\nzz b\n");
  EXPECT_EQ(ReadAlphabet(directory_.path()).names(), (std::vector<std::string>{"a", "b", "zz"}));
  // A directory that is named like a built-in language has its alphabet.
  fs::create_directory(directory_.path() / "bucket-sort");
  WriteFileAtomically((directory_.path() / "bucket-sort" / "main.tok").string(), "1 2\n");
  EXPECT_EQ(ReadAlphabet(directory_.path() / "bucket-sort").size(), 6u);
}

}  // namespace
}  // namespace flare
