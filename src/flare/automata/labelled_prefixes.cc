#include "flare/automata/labelled_prefixes.h"

#include <limits>

#include "flare/base/check.h"

namespace flare {
namespace {

// ε is nobody's child.
constexpr std::uint32_t kNoChild = 0;

}  // namespace

LabelledPrefixes::LabelledPrefixes(bool label_of_empty)
    : by_length_{{{0, Symbol{}, label_of_empty}}},
      children_{{0, Symbol{}, 0}},
      slots_(1024, kNoChild) {}

std::size_t LabelledPrefixes::SlotOf(std::uint32_t parent, Symbol symbol) const {
  // The high bits of a product with an odd number depend on all bits of the key.
  const std::uint64_t key = (std::uint64_t{parent} << 32 | Index(symbol)) * 0x9E3779B97F4A7C15;
  std::size_t slot = (key >> 32) & (slots_.size() - 1);
  for (;; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t child = slots_[slot];
    if (child == kNoChild) return slot;
    if (children_[child].parent == parent && children_[child].symbol == symbol) return slot;
  }
}

void LabelledPrefixes::Grow() {
  FLARE_CHECK(children_.size() < std::numeric_limits<std::uint32_t>::max() / 2);
  slots_.assign(2 * slots_.size(), kNoChild);
  for (std::size_t i = 1; i < children_.size(); ++i) {
    slots_[SlotOf(children_[i].parent, children_[i].symbol)] = static_cast<std::uint32_t>(i);
  }
}

String LabelledPrefixes::StringAt(std::size_t length, std::size_t place) const {
  String w(length);
  for (std::size_t n = length; n > 0; --n) {
    const Node& node = by_length_[n][place];
    w[n - 1] = node.symbol;
    place = node.prefix;
  }
  return w;
}

std::optional<bool> LabelledPrefixes::Find(StringView w) const {
  std::uint32_t at = 0;
  for (const Symbol a : w) {
    at = slots_[SlotOf(at, a)];
    if (at == kNoChild) return std::nullopt;
  }
  return by_length_[w.size()][children_[at].place].label;
}

void LabelledPrefixes::Add(StringView w, std::span<const std::uint8_t> labels) {
  FLARE_CHECK(labels.size() == w.size() + 1);
  if (by_length_.size() <= w.size()) by_length_.resize(w.size() + 1);
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    std::size_t slot = SlotOf(at, w[i]);
    if (slots_[slot] == kNoChild) {
      if (2 * children_.size() >= slots_.size()) {
        Grow();
        slot = SlotOf(at, w[i]);
      }
      slots_[slot] = static_cast<std::uint32_t>(children_.size());
      std::vector<Node>& level = by_length_[i + 1];
      level.push_back({children_[at].place, w[i], labels[i + 1] != 0});
      children_.push_back({at, w[i], static_cast<std::uint32_t>(level.size() - 1)});
    }
    at = slots_[slot];
  }
}

}  // namespace flare
