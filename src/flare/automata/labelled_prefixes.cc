#include "flare/automata/labelled_prefixes.h"

#include <algorithm>
#include <limits>

#include "flare/base/check.h"

namespace flare {
namespace {

// The root is nobody's child.
constexpr std::uint32_t kNoChild = 0;

}  // namespace

LabelledPrefixes::LabelledPrefixes(bool label_of_empty)
    : nodes_{{0, Symbol{}, 0, label_of_empty}}, slots_(1024, kNoChild) {}

std::size_t LabelledPrefixes::SlotOf(std::uint32_t parent, Symbol symbol) const {
  // The high bits of a product with an odd number depend on all bits of the key.
  const std::uint64_t key = (std::uint64_t{parent} << 32 | Index(symbol)) * 0x9E3779B97F4A7C15;
  std::size_t slot = (key >> 32) & (slots_.size() - 1);
  for (;; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t child = slots_[slot];
    if (child == kNoChild) return slot;
    if (nodes_[child].parent == parent && nodes_[child].symbol == symbol) return slot;
  }
}

void LabelledPrefixes::Grow() {
  FLARE_CHECK(nodes_.size() < std::numeric_limits<std::uint32_t>::max() / 2);
  slots_.assign(2 * slots_.size(), kNoChild);
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    slots_[SlotOf(nodes_[i].parent, nodes_[i].symbol)] = static_cast<std::uint32_t>(i);
  }
}

String LabelledPrefixes::StringAt(std::size_t node) const {
  String w(nodes_[node].length);
  for (std::size_t i = w.size(); i > 0; --i) {
    w[i - 1] = nodes_[node].symbol;
    node = nodes_[node].parent;
  }
  return w;
}

std::optional<bool> LabelledPrefixes::Find(StringView w) const {
  std::uint32_t node = 0;
  for (const Symbol a : w) {
    node = slots_[SlotOf(node, a)];
    if (node == kNoChild) return std::nullopt;
  }
  return nodes_[node].label;
}

void LabelledPrefixes::Add(StringView w, std::span<const std::uint8_t> labels) {
  FLARE_CHECK(labels.size() == w.size() + 1);
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    std::size_t slot = SlotOf(node, w[i]);
    if (slots_[slot] == kNoChild) {
      if (2 * nodes_.size() >= slots_.size()) {
        Grow();
        slot = SlotOf(node, w[i]);
      }
      slots_[slot] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({node, w[i], static_cast<std::uint32_t>(i + 1), labels[i + 1] != 0});
    }
    node = slots_[slot];
  }
}

}  // namespace flare
