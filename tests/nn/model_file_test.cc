#include "flare/nn/model_file.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/nn/architectures.h"

namespace flare {
namespace {

TEST(ModelFile, KeepsEveryArchitectureToTheBit) {
  for (const Architecture& architecture : Architectures()) {
    Model model({architecture.name, 3, 2, 16, {"lm", "ns"}});
    model.Initialize(5);
    const std::string bytes = FormatSafetensors(ModelToTensors(model));
    const TensorFile file = ParseSafetensors(bytes, "file");
    Model copy(ConfigOfTensors(file, "file"));
    copy.Initialize(6);
    LoadParameters(file, "file", copy);
    EXPECT_EQ(copy.parameters().values(), model.parameters().values()) << architecture.name;
  }
}

TEST(ModelFile, HasPyTorchsNamesAndShapes) {
  const TensorFile file = ModelToTensors(Model({"lstm", 2, 1, 5}));
  EXPECT_EQ(file.tensors.at("rnn.weight_ih_l0").shape, (std::vector<std::size_t>{20, 5}));
  EXPECT_EQ(file.tensors.at("embedding.weight").shape, (std::vector<std::size_t>{2, 5}));
  EXPECT_EQ(file.tensors.at("recognition_head.weight").shape, (std::vector<std::size_t>{1, 5}));
  EXPECT_EQ(file.tensors.size(), 7u);
}

TEST(ModelFile, NamesWhatDoesNotFit) {
  const TensorFile good = ModelToTensors(Model({"rnn", 2, 1, 5}));
  const auto error_of = [&](auto change) -> std::string {
    TensorFile file = good;
    change(file);
    try {
      Model model(ConfigOfTensors(file, "file"));
      LoadParameters(file, "file", model);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error_of([](TensorFile&) {}), "accepted");
  EXPECT_EQ(error_of([](TensorFile& f) { f.tensors.erase("rnn.bias_l0"); }),
            "file: tensor 'rnn.bias_l0' is missing");
  EXPECT_EQ(error_of([](TensorFile& f) { f.metadata["hidden"] = "6"; }),
            "file: tensor 'embedding.weight' has shape [2, 5], expected floats [2, 6]");
  EXPECT_EQ(error_of([](TensorFile& f) { f.metadata["hidden"] = "-1"; }),
            "file: hidden: '-1' is not a number from 1 to 8192");
  EXPECT_EQ(error_of([](TensorFile& f) { f.metadata["architecture"] = "transformer"; }),
            "file: hidden: 5 is not a multiple of 8");
  EXPECT_EQ(error_of([](TensorFile& f) { f.metadata["architecture"] = "x"; }),
            "file: unknown architecture 'x'");
  EXPECT_EQ(error_of([](TensorFile& f) { f.metadata.erase("layers"); }),
            "file: its metadata has no 'layers': not a model");
}

// What files of version 0.1 say, and what files without a later term leave out.
TEST(ModelFile, SaysWhichTermsAreThere) {
  const TensorFile file = ModelToTensors(Model({"rnn", 2, 1, 5, {"ns"}}));
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"architecture", "rnn"},
                                                               {"vocabulary", "2"},
                                                               {"layers", "1"},
                                                               {"hidden", "5"},
                                                               {"lm_head", "0"},
                                                               {"ns_head", "1"}}));
  EXPECT_EQ(ConfigOfTensors(file, "file").terms, std::vector<std::string>{"ns"});
  TensorFile older = file;
  older.metadata.erase("lm_head");
  EXPECT_EQ(ConfigOfTensors(older, "file").terms, std::vector<std::string>{"ns"});
}

// The largest configuration that a file may name is refused without memory for it, and at once.
TEST(ModelFile, FileTooSmallForItsModelIsRefused) {
  TensorFile file = ModelToTensors(Model({"rnn", 2, 1, 5}));
  const auto error_of = [&]() -> std::string {
    try {
      CheckHoldsModel(file, "file", ConfigOfTensors(file, "file"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error_of(), "accepted");
  file.tensors.erase("recognition_head.bias");
  EXPECT_EQ(error_of(), "file: has 75 numbers, too few for a model of 76 parameters");
  file.metadata = {{"architecture", "transformer"},
                   {"vocabulary", "1000000"},
                   {"layers", "1000"},
                   {"hidden", "8192"}};
  const Stopwatch watch;
  EXPECT_EQ(error_of(), "file: has 75 numbers, too few for a model of 813604896769 parameters");
  EXPECT_LT(watch.Seconds(), 5);
}

}  // namespace
}  // namespace flare
