#include "flare/nn/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "flare/base/error.h"
#include "flare/nn/architectures.h"
#include "flare/nn/logistic.h"
#include "flare/nn/target.h"

namespace flare {
namespace {

const Architecture& Find(const std::string& name) {
  const Architecture* architecture = FindArchitecture(name);
  FLARE_CHECK(architecture != nullptr);
  return *architecture;
}

// The most tokens of prefixes that are recognized together.
constexpr std::size_t kMostPrefixTokens = 65'536;

void CheckBytes(std::size_t length, double bytes) {
  if (bytes <= Model::kMostBytes) return;
  throw InputError(
      "", fmt::format("a string of {} symbols takes {:.1f} GB here, more than {:.1f} GB", length,
                      bytes / 1e9, Model::kMostBytes / 1e9));
}

}  // namespace

ModelParts::ModelParts(const ModelConfig& config, Parameters& parameters) {
  const Architecture& architecture = Find(config.architecture);
  FLARE_CHECK(config.vocabulary > 0 && config.layers > 0 && config.hidden > 0);
  const OptionTexts options = CompleteOptions(architecture, config.options, "");
  FLARE_CHECK(config.hidden % architecture.size_step(options) == 0);
  std::vector<const LossTermInfo*> infos;
  for (const LossTermInfo& info : LossTermCatalog()) {
    if (infos.size() < config.terms.size() && config.terms[infos.size()] == info.name) {
      infos.push_back(&info);
    }
  }
  FLARE_CHECK(infos.size() == config.terms.size());
  FLARE_CHECK(config.recognizes || !infos.empty());
  const bool reads_eos = config.recognizes && config.reads_eos;
  const auto tied = options.find("tie_embeddings");
  const bool ties = tied == options.end() || tied->second == "true";
  const bool predicts_embeddings =
      ties && std::any_of(infos.begin(), infos.end(),
                          [](const auto* info) { return info->ties_embeddings; });
  encoder = architecture.make({.vocabulary = config.vocabulary,
                               .layers = config.layers,
                               .hidden = config.hidden,
                               .embeds_eos = reads_eos || predicts_embeddings,
                               .reads_eos = reads_eos,
                               .reads_padding = config.recognizes,
                               .options = options},
                              parameters);
  if (config.recognizes) AddRecognitionHead(config.hidden, parameters);
  for (const LossTermInfo* info : infos) {
    terms.emplace_back(*info,
                       TermContext{parameters, encoder->embedding_parameter(), config.vocabulary,
                                   config.states, config.hidden, encoder->width(), ties});
  }
}

void ModelParts::AddRecognitionHead(std::size_t hidden, Parameters& parameters) {
  ParameterSpec weights = VectorSpec("recognition_head.weight", hidden);
  // A matrix of one row in PyTorch, whose Xavier limit depends on both extents.
  weights.shape = {1, hidden};
  weights.initialization = Initialization::kXavierUniform;
  recognition_weights = parameters.Add(weights);
  ParameterSpec bias = VectorSpec("recognition_head.bias", 1);
  bias.initialization = Initialization::kZero;
  recognition_bias = parameters.Add(bias);
}

Model::Model(const ModelConfig& config, Target target)
    : config_(config),
      parameters_(target),
      parts_(config, parameters_),
      rows_{{{TermRows(parts_.encoder->width(), TermRows::Strings::kPositives,
                       TermRows::Positions::kAll),
              TermRows(parts_.encoder->width(), TermRows::Strings::kPositives,
                       TermRows::Positions::kLast)},
             {TermRows(parts_.encoder->width(), TermRows::Strings::kAll, TermRows::Positions::kAll),
              TermRows(parts_.encoder->width(), TermRows::Strings::kAll,
                       TermRows::Positions::kLast)}}} {
  if (config.recognizes) ends_ = parts_.encoder->padding();
  if (config.recognizes && config.reads_eos) {
    ends_.push_back(static_cast<std::uint32_t>(config.vocabulary));
  }
  losses_.terms.resize(config.terms.size());
  parameters_.Allocate();
}

void Model::Initialize(std::uint64_t seed, Parameters::Scheme scheme) {
  parameters_.Initialize(seed, scheme);
  ParametersChanged();
}

void Model::ParametersChanged() {
  parts_.encoder->ParametersChanged();
  for (LossTerm& term : parts_.terms) term.ParametersChanged();
}

const Batch& Model::WithEnds(const Batch& batch) {
  if (ends_.empty()) return batch;
  ended_.vocabulary = batch.vocabulary;
  ended_.labels = batch.labels;
  ended_.tokens.clear();
  ended_.offsets.assign(1, 0);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto string = batch.string(i);
    ended_.tokens.insert(ended_.tokens.end(), string.begin(), string.end());
    ended_.tokens.insert(ended_.tokens.end(), ends_.begin(), ends_.end());
    ended_.offsets.push_back(ended_.tokens.size());
  }
  return ended_;
}

template <class Visit>
void Model::ForEachGroup(const Batch& batch, Encoder::GroupLimit limit, Visit visit) {
  order_.resize(batch.size());
  std::iota(order_.begin(), order_.end(), 0u);
  // Not std::stable_sort, which allocates.
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return batch.length(a) != batch.length(b) ? batch.length(a) > batch.length(b) : a < b;
  });
  for (std::size_t begin = 0; begin < order_.size();) {
    // Long strings make smaller groups, of at least one string.
    const std::size_t rows = batch.length(order_[begin]) + 1;
    const std::size_t most = std::clamp<std::size_t>(limit.rows / rows, 1, limit.strings);
    const std::size_t count = std::min(most, order_.size() - begin);
    group_.Assign(batch, std::span(order_).subspan(begin, count));
    visit(group_);
    begin += count;
  }
}

template <class Wanted, class Visit>
void Model::ForEachTerm(const Batch& batch, const Group& group, const float* hidden, Wanted wanted,
                        Visit visit) {
  std::array<std::array<bool, 2>, 2> gathered = {};
  for (std::size_t i = 0; i < parts_.terms.size(); ++i) {
    if (!wanted(i)) continue;
    const LossTermInfo& info = parts_.terms[i].info();
    const auto strings = static_cast<std::size_t>(info.strings);
    const auto positions = static_cast<std::size_t>(info.positions);
    TermRows& rows = rows_[strings][positions];
    if (!gathered[strings][positions]) rows.Gather(batch, group, hidden);
    gathered[strings][positions] = true;
    if (rows.count() > 0) visit(i, rows);
  }
}

void Model::CheckRecognizes() const {
  if (config_.recognizes) return;
  throw InputError("", "the model does not recognize strings: its loss does not have the term rec");
}

void Model::CheckReadable(std::size_t length) const {
  if (length <= parts_.encoder->longest()) return;
  throw InputError("", fmt::format("a string of {} symbols: a {} reads strings of up to {}", length,
                                   config_.architecture, parts_.encoder->longest()));
}

void Model::CheckEncodable(std::size_t length, bool terms) const {
  CheckReadable(length);
  CheckBytes(length, parts_.encoder->EncodingBytes(length) + (terms ? TermBytes(length) : 0));
}

void Model::CheckTrainable(std::size_t length) const {
  CheckReadable(length);
  CheckBytes(length, parts_.encoder->TrainingBytes(length) + TermBytes(length));
}

double Model::TermBytes(std::size_t length) const {
  double bytes = 0;
  for (const LossTerm& term : parts_.terms) bytes += term.Bytes(length);
  return bytes;
}

float Model::Logit(const float* hidden) const {
  const float* weights = parameters_.value(parts_.recognition_weights);
  auto sum = static_cast<double>(*parameters_.value(parts_.recognition_bias));
  for (std::size_t j = 0; j < config_.hidden; ++j) {
    sum += static_cast<double>(weights[j]) * static_cast<double>(hidden[j]);
  }
  return static_cast<float>(sum);
}

void Model::Recognize(const Batch& batch, const Group& group, const float* hidden,
                      double per_example) {
  const std::size_t width = parts_.encoder->width();
  const float* weights = parameters_.value(parts_.recognition_weights);
  float* d_weights = parameters_.gradient(parts_.recognition_weights);
  float* d_bias = parameters_.gradient(parts_.recognition_bias);
  for (std::size_t i = 0; i < group.num_strings(); ++i) {
    const std::size_t row = group.Row(i, group.length(i));
    const float* h = hidden + row * width;
    const auto z = static_cast<double>(Logit(h));
    const bool label = batch.labels[group.string(i)] != 0;
    losses_.recognition += LogisticLoss(label ? z : -z);
    const auto d_logit = static_cast<float>(per_example * (Sigmoid(z) - (label ? 1 : 0)));
    float* d_h = d_hidden_.data() + row * width;
    for (std::size_t j = 0; j < config_.hidden; ++j) {
      d_h[j] += d_logit * weights[j];
      d_weights[j] += d_logit * h[j];
    }
    *d_bias += d_logit;
  }
}

const Losses& Model::Gradients(const Batch& batch, std::span<const double> coefficients,
                               const Dropout& dropout) {
  FLARE_CHECK(batch.size() > 0);
  FLARE_CHECK(coefficients.size() == parts_.terms.size());
  const TargetScope scope(parameters_.target());
  std::fill(parameters_.gradients().begin(), parameters_.gradients().end(), 0.0f);
  const std::size_t width = parts_.encoder->width();
  const double per_example = 1 / static_cast<double>(batch.size());
  const auto in_loss = [&](std::size_t term) { return coefficients[term] != 0; };
  const bool with_ends = !ends_.empty();
  bool all_positions = false;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    // If an end symbol is read, the vector after the last symbol is not the last vector.
    const bool looks_at_last = parts_.terms[i].info().positions == TermRows::Positions::kLast;
    all_positions = all_positions || (in_loss(i) && (with_ends || !looks_at_last));
  }
  const auto wanted = all_positions ? Encoder::Positions::kAll : Encoder::Positions::kLast;
  losses_.recognition = 0;
  std::fill(losses_.terms.begin(), losses_.terms.end(), 0.0);
  const Batch& read = with_ends ? WithEnds(batch) : batch;
  ForEachGroup(read, parts_.encoder->training_group(), [&](const Group& group) {
    CheckTrainable(group.longest());
    const float* hidden = parts_.encoder->Forward(group, dropout, wanted);
    Grow(d_hidden_, group.num_rows() * width);
    std::fill_n(d_hidden_.begin(), group.num_rows() * width, 0.0f);
    if (config_.recognizes) Recognize(batch, group, hidden, per_example);
    ForEachTerm(batch, group, hidden, in_loss, [&](std::size_t i, const TermRows& rows) {
      losses_.terms[i] +=
          parts_.terms[i].Loss(batch, rows, coefficients[i] * per_example, d_hidden_.data());
    });
    parts_.encoder->Backward(group, dropout, wanted, d_hidden_.data());
  });
  losses_.recognition *= per_example;
  losses_.total = losses_.recognition;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    losses_.terms[i] *= per_example;
    losses_.total += coefficients[i] * losses_.terms[i];
  }
  return losses_;
}

void Model::Logits(const Batch& batch, std::vector<float>& logits) {
  CheckRecognizes();
  const TargetScope scope(parameters_.target());
  logits.resize(batch.size());
  ForEachGroup(WithEnds(batch), parts_.encoder->inference_group(), [&](const Group& group) {
    CheckReadable(group.longest());
    const float* last = parts_.encoder->Infer(group);
    for (std::size_t i = 0; i < group.num_strings(); ++i) {
      logits[group.string(i)] = Logit(last + i * parts_.encoder->width());
    }
  });
}

void Model::Score(const Batch& batch, ModelScores& scores) {
  scores.logits.clear();
  if (config_.recognizes) Logits(batch, scores.logits);
  scores.terms.resize(parts_.terms.size());
  for (std::vector<TermScore>& of_term : scores.terms) of_term.assign(batch.size(), {});
  const auto applies = [&](const LossTerm& term) { return term.info().AppliesTo(batch); };
  if (std::none_of(parts_.terms.begin(), parts_.terms.end(), applies)) return;
  const TargetScope scope(parameters_.target());
  ForEachGroup(batch, parts_.encoder->training_group(), [&](const Group& group) {
    CheckEncodable(group.longest(), true);
    const float* hidden = parts_.encoder->Encode(group);
    ForEachTerm(
        batch, group, hidden, [&](std::size_t i) { return applies(parts_.terms[i]); },
        [&](std::size_t i, const TermRows& rows) {
          AddScores(parts_.terms[i].info(), batch, rows, parts_.terms[i].Logits(rows),
                    scores.terms[i]);
        });
  });
}

template <class Visit>
void Model::ForEachHidden(const Batch& batch, std::size_t i, Visit visit) {
  const TargetScope scope(parameters_.target());
  const auto string = static_cast<std::uint32_t>(i);
  CheckEncodable(batch.length(i), false);
  group_.Assign(batch, {&string, 1});
  const float* hidden = parts_.encoder->Encode(group_);
  for (std::size_t t = 0; t <= batch.length(i); ++t) {
    visit(t, hidden + group_.Row(0, t) * parts_.encoder->width());
  }
}

void Model::SeparatePrefixLogits(const Batch& batch, std::size_t i, float* logits) {
  Batch prefixes;
  prefixes.vocabulary = batch.vocabulary;
  std::vector<float> some;
  for (std::size_t t = 0; t <= batch.length(i); ++t) {
    prefixes.Add(batch.string(i).first(t), false);
    if (prefixes.tokens.size() < kMostPrefixTokens && t < batch.length(i)) continue;
    Logits(prefixes, some);
    logits = std::copy(some.begin(), some.end(), logits);
    prefixes.tokens.clear();
    prefixes.offsets.assign(1, 0);
    prefixes.labels.clear();
  }
}

void Model::PrefixLogits(const Batch& batch, std::size_t i, std::vector<float>& logits) {
  CheckRecognizes();
  logits.resize(batch.length(i) + 1);
  if (reads_prefixes_apart()) return SeparatePrefixLogits(batch, i, logits.data());
  ForEachHidden(batch, i, [&](std::size_t t, const float* h) { logits[t] = Logit(h); });
}

void Model::HiddenVectors(const Batch& batch, std::size_t i, std::vector<float>& vectors) {
  vectors.clear();
  vectors.reserve((batch.length(i) + 1) * config_.hidden);
  ForEachHidden(batch, i, [&](std::size_t, const float* h) {
    vectors.insert(vectors.end(), h, h + config_.hidden);
  });
}

void Model::PrefixLogits(const Batch& batch, std::vector<float>& logits) {
  CheckRecognizes();
  const TargetScope scope(parameters_.target());
  logits.resize(batch.tokens.size() + batch.size());
  for (std::size_t i = 0; reads_prefixes_apart() && i < batch.size(); ++i) {
    SeparatePrefixLogits(batch, i, logits.data() + batch.first_state(i));
  }
  if (reads_prefixes_apart()) return;
  ForEachGroup(batch, parts_.encoder->training_group(), [&](const Group& group) {
    CheckEncodable(group.longest(), false);
    const float* hidden = parts_.encoder->Encode(group);
    for (std::size_t i = 0; i < group.num_strings(); ++i) {
      float* of_string = logits.data() + batch.first_state(group.string(i));
      for (std::size_t t = 0; t <= group.length(i); ++t) {
        of_string[t] = Logit(hidden + group.Row(i, t) * parts_.encoder->width());
      }
    }
  });
}

void Model::HeadLogits(const Batch& batch, std::size_t term, std::vector<float>& logits) {
  const TargetScope scope(parameters_.target());
  TermRows& rows = rows_[static_cast<std::size_t>(TermRows::Strings::kAll)]
                        [static_cast<std::size_t>(TermRows::Positions::kAll)];
  const std::size_t outputs = num_outputs(term);
  logits.resize((batch.tokens.size() + batch.size()) * outputs);
  ForEachGroup(batch, parts_.encoder->training_group(), [&](const Group& group) {
    CheckEncodable(group.longest(), true);
    rows.Gather(batch, group, parts_.encoder->Encode(group));
    const TermLogits of_rows = parts_.terms[term].Logits(rows);
    for (std::size_t r = 0; r < rows.count(); ++r) {
      const TermRows::Place place = rows.places()[r];
      const std::size_t row = batch.first_state(place.string) + place.position;
      const auto values = of_rows.Row(r);
      std::copy(values.begin(), values.end(), logits.data() + row * outputs);
    }
  });
}

std::size_t NumParameters(const ModelConfig& config) {
  Parameters parameters(Target::kPortable);  // every CPU has it
  const ModelParts parts(config, parameters);
  return parameters.Count(false);
}

std::size_t HiddenSizeForBudget(const ModelConfig& config, std::size_t budget) {
  const std::size_t step = SizeStep(Find(config.architecture), config.options);
  const auto count = [&](std::size_t steps) {
    return NumParameters({.architecture = config.architecture,
                          .vocabulary = config.vocabulary,
                          .layers = config.layers,
                          .hidden = steps * step,
                          .options = config.options,
                          .reads_eos = config.reads_eos});
  };
  // The count grows with the size: find the first that reaches the budget, and the last below it.
  std::size_t below = 1, reaches = 2;
  if (count(below) >= budget) return below * step;
  while (count(reaches) < budget) {
    below = reaches;
    reaches *= 2;
  }
  while (reaches - below > 1) {
    const std::size_t middle = below + (reaches - below) / 2;
    (count(middle) < budget ? below : reaches) = middle;
  }
  return step * (count(reaches) - budget < budget - count(below) ? reaches : below);
}

}  // namespace flare
