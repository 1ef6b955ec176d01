#include "flare/nn/encoder.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/parameters.h"

namespace flare {
namespace {

// An encoder alone, with weights large enough for every nonlinearity to show, and a group of
// strings, the longest first.
struct Fixture {
  Fixture(const Architecture& architecture, std::size_t layers,
          const std::vector<std::size_t>& lengths)
      : encoder(architecture.make({3, layers, 16, false}, parameters)) {
    parameters.Allocate();
    parameters.Initialize(1);
    Rng rng = Rng::For(2, "encoder-test");
    for (std::size_t p = 0; p < parameters.specs().size(); ++p) {
      auto values = parameters.Get(p);
      for (float& value : values) value += static_cast<float>(0.6 * (rng.Uniform() - 0.5));
      parameters.Set(p, values);
    }
    encoder->ParametersChanged();
    batch.vocabulary = 3;
    for (const std::size_t length : lengths) {
      std::vector<std::uint32_t> string(length);
      for (auto& token : string) token = static_cast<std::uint32_t>(rng.UniformInt(3));
      batch.Add(string, true);
    }
    std::vector<std::uint32_t> order(lengths.size());
    std::iota(order.begin(), order.end(), 0u);
    group.Assign(batch, order);
  }

  Parameters parameters;
  std::unique_ptr<Encoder> encoder;
  Batch batch;
  Group group;
};

class EveryEncoder : public testing::TestWithParam<Architecture> {};
std::string ArchitectureName(const testing::TestParamInfo<Architecture>& parameter) {
  return parameter.param.name;
}

// Up to rounding, as products of other numbers of rows are summed in another order.
TEST_P(EveryEncoder, InferenceGivesTheLastHiddenVectors) {
  Fixture f(GetParam(), 3, {37, 37, 17, 16, 9, 8, 7, 1, 0, 0});
  const std::size_t width = f.encoder->width();
  const float* hidden = f.encoder->Forward(f.group, {});
  std::vector<float> expected;
  for (std::size_t i = 0; i < f.group.num_strings(); ++i) {
    const float* row = hidden + f.group.Row(i, f.group.length(i)) * width;
    expected.insert(expected.end(), row, row + width);
  }
  const float* last = f.encoder->Infer(f.group);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(last[i], expected[i], 2e-6) << "string " << i / width << ", unit " << i % width;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryEncoder,
                         testing::ValuesIn(Architectures().begin(), Architectures().end()),
                         ArchitectureName);

}  // namespace
}  // namespace flare
