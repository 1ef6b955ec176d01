// Manifests that version 0.1 wrote: of a built-in language, a regex: and an att: one.

#include "flare/data/manifest.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/data/dataset_language.h"
#include "flare/data/generate.h"
#include "flare/languages/source.h"
#include "support/integrity.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class OldManifest : public testing::TestWithParam<const char*> {
 protected:
  const fs::path dataset_ = fs::path(SourceDir()) / "tests/golden/manifests" / GetParam();
};

TEST_P(OldManifest, IsReadAndWrittenByteForByte) {
  const auto manifest = ReadManifest(dataset_);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(JsonText(ManifestToJson(*manifest)), ReadFile(dataset_ / "manifest.json"));
}

TEST_P(OldManifest, IsThatOfItsLanguageToday) {
  const auto manifest = ReadManifest(dataset_);
  const DatasetLanguage found = FindDatasetLanguage(dataset_);
  EXPECT_EQ(ToJson(SaveLanguage(found.language)).dump(), ToJson(manifest->language).dump());
  EXPECT_EQ(RecipeDifference(*manifest, MakeManifest(found.language, manifest->name, manifest->seed,
                                                     found.config)),
            "");
}

INSTANTIATE_TEST_SUITE_P(Manifests, OldManifest, testing::Values("majority", "ab-star", "dyck"),
                         [](const auto& parameter) {
                           const std::string name = parameter.param;
                           return name.substr(0, name.find('-'));
                         });

// Random streams follow the identity: the name of the directory must not change them.
TEST(Manifest, GivesALanguageItsOwnIdentity) {
  const TemporaryDirectory directory;
  DatasetConfig config = MakePreset("flare");
  for (SplitConfig& split : config.splits) split.size = split.name == "train" ? 10 : 0;
  GenerateDataset({"mine", ResolveLanguage("regex:(ab)*")}, {directory.path(), 0, config});
  EXPECT_EQ(FindDatasetLanguage(directory.path() / "mine").language.identity,
            ResolveLanguage("regex:(ab)*").identity);
}

// Without a manifest its name must be borne out by the labels that a network sees.
TEST(DatasetLanguage, BuiltInNameNeedsMatchingLabels) {
  const TemporaryDirectory directory;
  DatasetConfig config = MakePreset("flare");
  for (SplitConfig& split : config.splits) {
    split.size = split.name == "train" || split.name == "test" ? 20 : 0;
  }
  GenerateDataset({"first", ResolveLanguage("first")}, {directory.path(), 0, config});
  const fs::path dataset = directory.path() / "first", parity = directory.path() / "parity";
  fs::remove(dataset / "manifest.json");
  EXPECT_TRUE(HasKnownLanguage(dataset));
  // As in the published test set of compute-sqrt.
  const fs::path test = dataset / "datasets/test/labels.txt";
  const std::string labels = ReadFile(test);
  WriteFile(test, (labels[0] == '0' ? "1" : "0") + labels.substr(1));
  EXPECT_TRUE(HasKnownLanguage(dataset));
  fs::rename(dataset, parity);
  EXPECT_FALSE(HasKnownLanguage(parity));
  fs::rename(parity, dataset);
  fs::remove(dataset / "labels.txt");
  EXPECT_FALSE(HasKnownLanguage(dataset));
}

TEST(Manifest, NoticesAWrongBit) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "manifest.json";
  const std::string text =
      FormatManifest(MakeManifest(ResolveLanguage("parity"), "mine", 0, MakePreset("flare")));
  const auto refusal = [&] { return RefusalOf([&] { ReadManifest(directory.path()); }); };
  WriteFile(file, text);
  EXPECT_EQ(refusal(), "");
  ForEachFlip(text, [&](const std::string& flipped, std::size_t bit) {
    WriteFile(file, flipped);
    EXPECT_NE(refusal(), "") << "bit " << bit % 8 << " of byte " << bit / 8;
  });
}

TEST(Manifest, ComparesWhatIsDefinedAndNotItsWording) {
  const DatasetConfig config = MakePreset("flare");
  const auto of = [&](const std::string& text) {
    return MakeManifest(ResolveLanguage(text), "mine", 0, config);
  };
  EXPECT_EQ(RecipeDifference(of("regex:(a|b)*"), of("regex:[ab]*")), "");
  EXPECT_EQ(RecipeDifference(of("regex:(a|b)*a"), of("regex:[ab]*")),
            "language.automaton.states is 2, not 1");
  EXPECT_EQ(RecipeDifference(of("parity"), of("first")),
            R"(language.source is "parity", not "first")");
}

}  // namespace
}  // namespace flare
