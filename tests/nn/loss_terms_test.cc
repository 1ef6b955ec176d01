#include "flare/nn/loss_terms.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/embedding.h"
#include "support/reference/model.h"

namespace flare {
namespace {

constexpr std::size_t kHidden = 5, kWidth = 8, kStates = 11;
constexpr double kScale = 0.7;

// Random hidden vectors of a positive, a negative and an empty positive string, and what a term
// makes of them.
struct TermFixture {
  explicit TermFixture(std::size_t vocabulary) {
    batch.vocabulary = vocabulary;
    Rng rng = Rng::For(1, "terms-test");
    for (const std::size_t length : {4u, 2u, 0u}) {
      std::vector<std::uint32_t> string(length);
      for (auto& token : string) token = static_cast<std::uint32_t>(rng.UniformInt(vocabulary));
      batch.Add(string, length != 2);
      batch.first_set.push_back(batch.next_symbols.size() / batch.words_per_set());
      for (std::size_t i = 0; i < (length + 1) * batch.words_per_set(); ++i) {
        batch.next_symbols.push_back(rng.Bits());
      }
      for (std::size_t t = 0; t <= length; ++t) {
        batch.states.push_back(static_cast<std::uint32_t>(rng.UniformInt(kStates)));
      }
    }
    group.Assign(batch, std::vector<std::uint32_t>{0, 1, 2});
    values.resize(group.num_rows() * kWidth);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % kWidth < kHidden) values[i] = static_cast<float>(3 * (rng.Uniform() - 0.5));
    }
    d_values.assign(values.size(), 1);  // to be added to
    for (std::size_t i = 0; i < batch.size(); ++i) {
      hidden.emplace_back();
      for (std::size_t t = 0; t <= batch.length(i); ++t) {
        const float* row = &values[group.Row(i, t) * kWidth];
        hidden[i].emplace_back(row, row + kHidden);
      }
    }
  }

  void Initialize() {
    parameters.Allocate();
    Rng rng = Rng::For(2, "terms-test");
    for (std::size_t p = 0; p < parameters.specs().size(); ++p) {
      std::vector<float> elements(parameters.specs()[p].num_elements());
      for (float& value : elements) value = static_cast<float>(2 * (rng.Uniform() - 0.5));
      parameters.Set(p, elements);
      weights[parameters.specs()[p].name] = {elements.begin(), elements.end()};
    }
  }

  // A term against its scalar reference: the loss, and all gradients.
  void Check(LossTerm& term) {
    const LossTermInfo& info = term.info();
    const auto string_loss = reference::TermLosses<double>().at(info.name);
    term.ParametersChanged();
    TermRows rows(kWidth, info.strings, info.positions);
    rows.Gather(batch, group, values.data());
    const auto loss = [&] {
      double sum = 0;
      for (std::size_t s = 0; s < batch.size(); ++s) {
        sum += string_loss({weights, batch, s, hidden[s]});
      }
      return sum;
    };
    EXPECT_NEAR(term.Loss(batch, rows, kScale, d_values.data()), loss(), 1e-5);
    for (std::size_t s = 0; s < batch.size(); ++s) {
      for (std::size_t t = 0; t <= batch.length(s); ++t) {
        for (std::size_t j = 0; j < kHidden; ++j) {
          EXPECT_NEAR(d_values[group.Row(s, t) * kWidth + j],
                      1 + kScale * reference::Derivative(loss, hidden[s][t][j]), 1e-5)
              << "string " << s << ", position " << t << ", unit " << j;
        }
      }
    }
    for (std::size_t p = 0; p < parameters.specs().size(); ++p) {
      const std::string& name = parameters.specs()[p].name;
      const auto gradient = parameters.GetGradient(p);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        EXPECT_NEAR(gradient[i], kScale * reference::Derivative(loss, weights.at(name)[i]), 1e-5)
            << name << "[" << i << "]";
      }
    }
  }

  Batch batch;
  Group group;
  FloatArray values, d_values;
  std::vector<std::vector<reference::Vector<double>>> hidden;  // by string and position
  Parameters parameters;
  reference::Weights<double> weights;
};

class LossTerms : public testing::TestWithParam<std::size_t> {};

TEST_P(LossTerms, AgreeWithTheirReferences) {
  for (const LossTermInfo& info : LossTermCatalog()) {
    SCOPED_TRACE(info.name);
    ASSERT_TRUE(reference::TermLosses<double>().contains(info.name)) << "no scalar reference";
    TermFixture f(GetParam());
    const TokenEmbedding embedding(
        {.vocabulary = GetParam(), .hidden = kHidden, .eos = true, .bos = false}, f.parameters);
    LossTerm term(
        info, {f.parameters, embedding.parameter(), GetParam(), kStates, kHidden, kWidth, true});
    f.Initialize();
    f.Check(term);
  }
}

// Fewer symbols than a vector has lanes, and more than a word of a set has bits.
INSTANTIATE_TEST_SUITE_P(Vocabularies, LossTerms, testing::Values(2, 70));

// Of a group in which the negative is between two positives.
TEST(TermRows, AreThoseOfPositivesOrOfAllStrings) {
  TermFixture f(2);
  const auto rows_of = [&](TermRows::Strings strings) {
    TermRows rows(kWidth, strings);
    rows.Gather(f.batch, f.group, f.values.data());
    std::vector<std::size_t> lengths(f.batch.size(), 0);
    for (std::size_t r = 0; r < rows.count(); ++r) {
      const auto [string, t] = rows.places()[r];
      ++lengths[string];
      EXPECT_EQ(rows.values()[r * kWidth], f.values[f.group.Row(string, t) * kWidth]);
    }
    FloatArray d_hidden(f.values.size(), 0);
    rows.ScatterAdd(rows.values(), d_hidden.data());
    for (std::size_t s = 0; s < f.batch.size(); ++s) {
      const std::size_t at = f.group.Row(s, 0) * kWidth;
      EXPECT_EQ(d_hidden[at], lengths[s] == 0 ? 0 : f.values[at]) << s;
    }
    return lengths;
  };
  EXPECT_EQ(rows_of(TermRows::Strings::kPositives), (std::vector<std::size_t>{5, 0, 1}));
  EXPECT_EQ(rows_of(TermRows::Strings::kAll), (std::vector<std::size_t>{5, 3, 1}));
}

TEST(LossTermCatalog, HasNamesAndKeysOfItsOwn) {
  std::set<std::string> names, keys;
  for (const LossTermInfo& term : LossTermCatalog()) {
    EXPECT_TRUE(names.insert(term.name).second) << term.name;
    EXPECT_TRUE(keys.insert(term.key).second) << term.key;
    EXPECT_EQ(FindLossTerm(term.name), &term);
  }
  EXPECT_EQ(FindLossTerm("rec"), nullptr);
}

}  // namespace
}  // namespace flare
