#include "flare/classes/monoid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "flare/base/error.h"

namespace flare::classes {
namespace {

constexpr Element kEmpty = UINT32_MAX;

}  // namespace

Monoid::Monoid(const SyntacticAutomaton& automaton, const MonoidLimits& limits)
    : degree_(automaton.num_states()),
      stride_((degree_ + 3) / 4 * 4),
      num_letters_(automaton.num_letters()),
      scratch_(stride_, 0) {
  for (Letter a = 0; a < num_letters_; ++a) {
    std::vector<std::uint8_t> hit(degree_, 0);
    for (State q = 0; q < degree_; ++q) hit[automaton.Next(q, a)] = 1;
    if (std::find(hit.begin(), hit.end(), 0) == hit.end()) identity_is_a_word_ = true;
  }
  if (degree_ > kMostStates) {
    limit_ = fmt::format("the minimal automaton has {} states; a monoid is computed up to {}",
                         degree_, kMostStates);
    return;
  }
  Enumerate(automaton, limits);
}

std::size_t Monoid::BytesPerElement() const {
  return stride_ * sizeof(std::uint16_t) + 2 * num_letters_ * sizeof(Element) + sizeof(Node) +
         4 * sizeof(Element);
}

void Monoid::Enumerate(const SyntacticAutomaton& automaton, const MonoidLimits& limits) {
  letters_.resize(num_letters_ * degree_);
  for (Letter a = 0; a < num_letters_; ++a) {
    for (State q = 0; q < degree_; ++q) {
      letters_[a * degree_ + q] = static_cast<std::uint16_t>(automaton.Next(q, a));
    }
  }
  table_.assign(64, kEmpty);
  actions_.assign(stride_, 0);
  for (std::size_t q = 0; q < degree_; ++q) actions_[q] = static_cast<std::uint16_t>(q);
  nodes_.push_back({kIdentity, kIdentity, 0, 0, 0});
  table_[Find(actions_.data(), Hash(actions_.data()))] = kIdentity;

  const std::size_t most =
      std::min(limits.max_elements, std::max<std::size_t>(1, limits.max_bytes / BytesPerElement()));
  std::size_t level = 0;  // the first element whose products on the left are not known yet
  for (Element u = 0; u < nodes_.size(); ++u) {
    right_.resize((u + 1) * num_letters_);
    for (Letter a = 0; a < num_letters_; ++a) {
      const Node node = nodes_[u];
      Element product = kEmpty;
      if (u != kIdentity) {
        // Let u = b·s: if s·a has an earlier word r, then u·a = b·r, which is known.
        const Element r = Right(node.suffix, a);
        if (r == kIdentity) {
          product = Right(kIdentity, node.first);
        } else if (nodes_[r].prefix != node.suffix || nodes_[r].last != a) {
          product = Right(Left(nodes_[r].prefix, node.first), nodes_[r].last);
        }
      }
      if (product == kEmpty) product = Multiply(u, a);
      right_[u * num_letters_ + a] = product;
      if (nodes_.size() > most) {
        limit_ = most == limits.max_elements
                     ? fmt::format("the syntactic monoid has more than {} elements", most)
                     : fmt::format("the syntactic monoid takes more than {} MiB",
                                   limits.max_bytes >> 20);
        return;
      }
    }
    const bool level_ends = u + 1 == nodes_.size() || nodes_[u + 1].length > nodes_[u].length;
    if (!level_ends) continue;
    left_.resize((u + 1) * num_letters_);
    for (; level <= u; ++level) {
      for (Letter a = 0; a < num_letters_; ++a) {
        left_[level * num_letters_ + a] =
            level == kIdentity ? Right(kIdentity, a)
                               : Right(Left(nodes_[level].prefix, a), nodes_[level].last);
      }
    }
  }
}

Element Monoid::Multiply(Element u, Letter a) {
  const std::uint16_t* map = actions_.data() + u * stride_;
  const std::uint16_t* letter = letters_.data() + a * degree_;
  for (std::size_t q = 0; q < degree_; ++q) scratch_[q] = letter[map[q]];
  const std::size_t place = Find(scratch_.data(), Hash(scratch_.data()));
  if (table_[place] != kEmpty) return table_[place];
  const auto added = static_cast<Element>(nodes_.size());
  table_[place] = added;
  actions_.insert(actions_.end(), scratch_.begin(), scratch_.end());
  const Node& from = nodes_[u];
  nodes_.push_back(u == kIdentity ? Node{u, kIdentity, a, a, 1}
                                  : Node{u, Right(from.suffix, a), from.first, a, from.length + 1});
  if (nodes_.size() * 2 > table_.size()) GrowTable();
  return added;
}

std::uint64_t Monoid::Hash(const std::uint16_t* action) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (std::size_t q = 0; q < stride_; q += 4) {
    std::uint64_t word;
    std::memcpy(&word, action + q, sizeof word);
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

std::size_t Monoid::Find(const std::uint16_t* action, std::uint64_t hash) const {
  std::size_t place = hash & (table_.size() - 1);
  while (table_[place] != kEmpty && std::memcmp(actions_.data() + table_[place] * stride_, action,
                                                stride_ * sizeof *action) != 0) {
    place = (place + 1) & (table_.size() - 1);
  }
  return place;
}

void Monoid::GrowTable() {
  table_.assign(table_.size() * 2, kEmpty);
  for (Element x = 0; x < nodes_.size(); ++x) {
    const std::uint16_t* action = actions_.data() + x * stride_;
    std::size_t place = Hash(action) & (table_.size() - 1);
    while (table_[place] != kEmpty) place = (place + 1) & (table_.size() - 1);
    table_[place] = x;
  }
}

Word Monoid::WordOf(Element x) const {
  Word word(nodes_[x].length);
  for (std::size_t i = word.size(); i > 0; --i) {
    word[i - 1] = nodes_[x].last;
    x = nodes_[x].prefix;
  }
  return word;
}

bool Monoid::IsIdempotent(Element x) const {
  const auto map = Action(x);
  for (const std::uint16_t q : map) {
    if (map[q] != q) return false;
  }
  return true;
}

Element Monoid::Product(Element x, Element y) const {
  FLARE_DCHECK(complete());
  if (nodes_[y].length <= 4) {
    // A few look-ups are cheaper than a map.
    if (y == kIdentity) return x;
    return Right(Product(x, nodes_[y].prefix), nodes_[y].last);
  }
  const std::uint16_t* first = actions_.data() + x * stride_;
  const std::uint16_t* then = actions_.data() + y * stride_;
  for (std::size_t q = 0; q < degree_; ++q) scratch_[q] = then[first[q]];
  return table_[Find(scratch_.data(), Hash(scratch_.data()))];
}

Element Monoid::Of(const Word& w) const {
  Element x = kIdentity;
  for (const Letter a : w) x = Right(x, a);
  return x;
}

}  // namespace flare::classes
