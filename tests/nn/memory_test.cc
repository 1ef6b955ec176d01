// What the engine allocates: nothing in a training step once it has seen its largest batch, and
// little for strings far longer than any in training.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"
#include "support/variants.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(align, (size + align - 1) / align * align)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace flare {
namespace {

Batch MakeBatch(std::size_t strings, std::size_t longest) {
  Batch batch;
  batch.vocabulary = 2;
  for (std::size_t i = 0; i < strings; ++i) {
    const std::vector<std::uint32_t> string(longest - i % (longest + 1), i % 2);
    batch.Add(string, i % 2 == 0);
    batch.first_set.push_back(batch.next_symbols.size());
    if (i % 2 == 0) batch.next_symbols.insert(batch.next_symbols.end(), string.size() + 1, 5);
  }
  return batch;
}

TEST(Memory, ATrainingStepAllocatesNothing) {
  for (const ArchitectureVariant& variant : ArchitectureVariants()) {
    Model model(variant.Config(2, 3, 32, {"lm", "ns"}));
    model.Initialize(0);
    Optimizer adam(model.parameters(), {});
    const Batch large = MakeBatch(60, 40), small = MakeBatch(33, 17);
    const std::vector<double> both = {0.1, 0.1}, none = {0, 0};
    const auto step = [&](const Batch& batch, std::uint64_t i) {
      const std::vector<double>& coefficients = i % 2 == 0 ? both : none;
      model.Gradients(batch, coefficients, MakeDropout(0.1, 0, i));
      adam.Step(0.001, model.parameters());
      model.ParametersChanged();
    };
    step(large, 0);
    const std::size_t before = allocations;
    for (std::uint64_t i = 1; i < 5; ++i) step(i < 3 ? small : large, i);
    EXPECT_EQ(allocations - before, 0u) << variant.name();
  }
}

// Resident memory at its highest, in megabytes.
double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST(Memory, LongStringsAreRead) {
  const auto read = [](const char* architecture, std::size_t length, std::size_t hidden) {
    Model model({architecture, 2, 5, hidden});
    model.Initialize(0);
    Batch batch;
    batch.vocabulary = 2;
    batch.Add(std::vector<std::uint32_t>(length, 1), true);
    batch.Add({}, true);
    std::vector<float> logits;
    model.Logits(batch, logits);
    EXPECT_TRUE(std::isfinite(logits[0]) && std::isfinite(logits[1])) << architecture;
  };
  const double before = PeakMegabytes();
  read("transformer", 10'000, 32);
  // Keeping the attention of 10,000 positions would take 1.6 GB per layer.
  EXPECT_LT(PeakMegabytes() - before, 100);
  read("rnn", 100'000, 79);
  read("lstm", 100'000, 40);
  read("gru", 100'000, 46);
  read("slstm", 100'000, 52);
  for (const char* architecture : {"mamba", "mamba2", "deltanet", "mlstm", "gla", "rwkv7"}) {
    read(architecture, 20'000, 32);
  }
  read("stack-rnn", 10'000, 40);
  read("stack-lstm", 10'000, 40);
  EXPECT_LT(PeakMegabytes() - before, 400);
}

TEST(Memory, PrefixesOfLongStringsDoNotKeepTheirAttention) {
  Model model({"transformer", 2, 2, 8});
  model.Initialize(0);
  Batch batch;
  batch.vocabulary = 2;
  batch.Add(std::vector<std::uint32_t>(4'000, 1), true);
  std::vector<float> prefixes, logits;
  const double before = PeakMegabytes();
  model.PrefixLogits(batch, 0, prefixes);
  // Kept, 8 million pairs would take half a gigabyte.
  EXPECT_LT(PeakMegabytes() - before, 100);
  model.Logits(batch, logits);
  EXPECT_NEAR(prefixes.back(), logits[0], 1e-5);
}

std::string Refusal(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Memory, StringsThatWouldNotFitAreRefused) {
  Batch batch;
  batch.vocabulary = 2;
  batch.Add(std::vector<std::uint32_t>(100'001, 1), true);
  std::vector<float> logits;
  Model transformer({"transformer", 2, 5, 32});
  transformer.Initialize(0);
  EXPECT_EQ(Refusal([&] { transformer.CheckTrainable(500); }), "");
  EXPECT_EQ(Refusal([&] { transformer.CheckTrainable(20'000); }),
            "a string of 20000 symbols takes 34.8 GB here, more than 4.0 GB");
  const std::string too_long =
      "a string of 100001 symbols: a transformer reads strings of up to 100000";
  const std::size_t before = allocations;
  EXPECT_EQ(Refusal([&] { transformer.Logits(batch, logits); }), too_long);
  EXPECT_EQ(Refusal([&] { transformer.PrefixLogits(batch, 0, logits); }), too_long);
  EXPECT_EQ(Refusal([&] { transformer.Gradients(batch, {}, {}); }), too_long);
  EXPECT_LT(allocations - before, 200u);

  // With 10,000 symbols, the logits of the heads are what counts.
  const Model lstm({"lstm", 10'000, 5, 40, {"lm", "ns"}});
  EXPECT_EQ(Refusal([&] { lstm.CheckTrainable(10'000); }), "");
  EXPECT_EQ(Refusal([&] { lstm.CheckTrainable(100'000); }),
            "a string of 100000 symbols takes 8.6 GB here, more than 4.0 GB");
}

}  // namespace
}  // namespace flare
