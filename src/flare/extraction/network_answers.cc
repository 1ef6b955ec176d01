#include "flare/extraction/network_answers.h"

#include <algorithm>
#include <cmath>

#include "flare/base/clock.h"
#include "flare/training/measure.h"

namespace flare {
namespace {

// Other strings of a batch move a logit far less: by under 4e-6 in tests/nn/model_test.cc.
constexpr float kBorder = 1e-3f;
// Symbols that go through the model together: enough to fill its groups, some megabytes of logits.
constexpr std::size_t kSymbolsAtATime = std::size_t{1} << 18;

bool IsNearBorder(float logit) { return std::abs(logit) < kBorder; }

void Clear(Batch& batch) {
  batch.tokens.clear();
  batch.offsets.assign(1, 0);
  batch.labels.clear();
}

void AddTo(Batch& batch, StringView w, std::vector<std::uint32_t>& tokens) {
  tokens.clear();
  for (const Symbol a : w) tokens.push_back(static_cast<std::uint32_t>(a));
  batch.Add(tokens, false);
}

// Calls visit(part) for consecutive parts, none of them too large unless it is one string.
template <class Visit>
void ForEachPart(std::span<const String> strings, Visit visit) {
  for (std::size_t begin = 0; begin < strings.size();) {
    std::size_t end = begin, symbols = 0;
    do {
      symbols += strings[end++].size();
    } while (end < strings.size() && symbols + strings[end].size() <= kSymbolsAtATime);
    visit(strings.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace

NetworkAnswers::NetworkAnswers(Model& model, std::size_t alphabet_size) : model_(model) {
  batch_.vocabulary = alone_.vocabulary = alphabet_size;
}

void NetworkAnswers::FillBatch(std::span<const String> strings) {
  Clear(batch_);
  std::vector<std::uint32_t> tokens;
  for (const String& w : strings) AddTo(batch_, w, tokens);
}

bool NetworkAnswers::AskAlone(StringView w) {
  Clear(alone_);
  std::vector<std::uint32_t> tokens;
  AddTo(alone_, w, tokens);
  const Stopwatch watch;
  model_.Logits(alone_, logit_alone_);
  seconds_ += watch.Seconds();
  return Accepts(logit_alone_[0]);
}

std::vector<std::uint8_t> NetworkAnswers::Of(std::span<const String> strings) {
  std::vector<std::uint8_t> labels;
  labels.reserve(strings.size());
  ForEachPart(strings, [&](std::span<const String> part) {
    FillBatch(part);
    const Stopwatch watch;
    model_.Logits(batch_, logits_);
    seconds_ += watch.Seconds();
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool accepted = IsNearBorder(logits_[i]) ? AskAlone(part[i]) : Accepts(logits_[i]);
      labels.push_back(accepted ? 1 : 0);
    }
  });
  return labels;
}

std::vector<std::uint8_t> NetworkAnswers::OfPrefixes(std::span<const String> strings) {
  std::vector<std::uint8_t> labels;
  ForEachPart(strings, [&](std::span<const String> part) {
    FillBatch(part);
    const Stopwatch watch;
    model_.PrefixLogits(batch_, logits_);
    seconds_ += watch.Seconds();
    std::size_t before = 0;  // where the labels of the string before begin
    for (std::size_t i = 0; i < part.size(); ++i) {
      const StringView w = part[i];
      // Strings often come sorted, so that the prefixes shared with the one before are answered.
      std::size_t shared = 0;
      if (i > 0) {
        const String& u = part[i - 1];
        shared = static_cast<std::size_t>(
            std::mismatch(u.begin(), u.end(), w.begin(), w.end()).first - u.begin());
      }
      const std::size_t begin = labels.size();
      for (std::size_t t = 0; t <= w.size(); ++t) {
        const float logit = logits_[batch_.first_state(i) + t];
        if (!IsNearBorder(logit)) {
          labels.push_back(Accepts(logit) ? 1 : 0);
        } else if (i > 0 && t <= shared) {
          labels.push_back(labels[before + t]);
        } else {
          labels.push_back(AskAlone(w.first(t)) ? 1 : 0);
        }
      }
      before = begin;
    }
  });
  return labels;
}

}  // namespace flare
