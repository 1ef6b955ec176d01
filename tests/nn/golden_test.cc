// Our models against PyTorch's own modules: logits, losses, gradients, and five steps of Adam. The
// golden files hold the inputs too; `make golden` makes them again with python3-torch.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/nn/architectures.h"
#include "flare/nn/model.h"
#include "flare/nn/model_file.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/safetensors.h"
#include "support/paths.h"
#include "support/variants.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> GoldenFiles() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(SourceDir()) / "tests" / "golden" / "nn")) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Batch ReadBatch(const TensorFile& file, const ModelConfig& config) {
  Batch batch;
  batch.vocabulary = config.vocabulary;
  const auto tokens = file.tensors.at("batch.tokens").Integers();
  const auto offsets = file.tensors.at("batch.offsets").Integers();
  const auto labels = file.tensors.at("batch.labels").Bytes();
  std::vector<std::uint8_t> sets;
  const bool has_sets = file.tensors.contains("batch.next_symbols");
  if (has_sets) sets = file.tensors.at("batch.next_symbols").Bytes();
  if (file.tensors.contains("batch.states")) {
    for (const auto state : file.tensors.at("batch.states").Integers()) {
      batch.states.push_back(static_cast<std::uint32_t>(state));
    }
  }
  std::size_t set = 0;
  const std::size_t outputs = config.vocabulary + 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::vector<std::uint32_t> string(tokens.begin() + offsets[i],
                                            tokens.begin() + offsets[i + 1]);
    batch.Add(string, labels[i] != 0);
    batch.first_set.push_back(batch.next_symbols.size());
    for (std::size_t t = 0; has_sets && labels[i] != 0 && t <= string.size(); ++t, ++set) {
      std::uint64_t word = 0;
      for (std::size_t a = 0; a < outputs; ++a) word |= std::uint64_t{sets[set * outputs + a]} << a;
      batch.next_symbols.push_back(word);
    }
  }
  return batch;
}

class Golden : public testing::TestWithParam<fs::path> {
 protected:
  Golden()
      : file_(ParseSafetensors(ReadFile(GetParam().string()), GetParam().string())),
        model_(ConfigOfTensors(file_, GetParam().string())),
        batch_(ReadBatch(file_, model_.config())) {
    LoadParameters(file_, GetParam().string(), model_);
    for (const std::string& term : model_.config().terms) {
      coefficients_.push_back(std::stod(file_.metadata.at(term + "_coefficient")));
    }
  }

  TensorFile file_;
  Model model_;
  Batch batch_;
  std::vector<double> coefficients_;
};

TEST_P(Golden, LogitsLossesAndGradientsAreThoseOfPyTorch) {
  std::vector<float> logits;
  model_.Logits(batch_, logits);
  const auto expected_logits = file_.tensors.at("logits").Floats();
  ASSERT_EQ(logits.size(), expected_logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(logits[i], expected_logits[i], 1e-5);

  const Losses& losses = model_.Gradients(batch_, coefficients_, {});
  const auto expected = file_.tensors.at("losses").Floats();  // recognition, the terms, total
  EXPECT_NEAR(losses.recognition, expected.front(), 1e-5);
  for (std::size_t i = 0; i < losses.terms.size(); ++i) {
    const auto term =
        static_cast<std::size_t>(FindLossTerm(model_.config().terms[i]) - LossTermCatalog().data());
    EXPECT_NEAR(losses.terms[i], expected[1 + term], 1e-5) << model_.config().terms[i];
  }
  EXPECT_NEAR(losses.total, expected.back(), 1e-5);

  for (std::size_t p = 0; p < model_.parameters().specs().size(); ++p) {
    const std::string& name = model_.parameters().specs()[p].name;
    const auto ours = model_.parameters().GetGradient(p);
    const auto theirs = file_.tensors.at("grad." + name).Floats();
    ASSERT_EQ(ours.size(), theirs.size());
    // Relative to the largest element of the tensor: small ones are sums of large ones.
    float largest = 0;
    for (const float value : theirs) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_NEAR(ours[i], theirs[i], 1e-4 * largest + 1e-8) << name << "[" << i << "]";
    }
  }
}

TEST_P(Golden, FiveStepsOfAdamTrackPyTorch) {
  Optimizer adam(model_.parameters(), {});
  const double learning_rate = std::stod(file_.metadata.at("learning_rate"));
  for (int step = 0; step < std::stoi(file_.metadata.at("steps")); ++step) {
    model_.Gradients(batch_, coefficients_, {});
    adam.Step(learning_rate, model_.parameters());
    model_.ParametersChanged();
  }
  for (std::size_t p = 0; p < model_.parameters().specs().size(); ++p) {
    const std::string& name = model_.parameters().specs()[p].name;
    const auto ours = model_.parameters().Get(p);
    const auto theirs = file_.tensors.at("after." + name).Floats();
    const auto gradient = file_.tensors.at("grad." + name).Floats();
    for (std::size_t i = 0; i < ours.size(); ++i) {
      // Where the gradient is zero but for rounding, as that of the keys' biases is, Adam makes
      // steps of full size out of the rounding.
      if (std::abs(gradient[i]) < 1e-7) continue;
      ASSERT_NEAR(ours[i], theirs[i], 1e-4) << name << "[" << i << "]";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PyTorch, Golden, testing::ValuesIn(GoldenFiles()), [](const auto& file) {
  std::string name = file.param.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

TEST(GoldenFiles, AreThereForEveryVariant) {
  EXPECT_EQ(GoldenFiles().size(), Architectures().size() + ArchitectureVariants().size() + 1);
}

}  // namespace
}  // namespace flare
