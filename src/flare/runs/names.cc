#include "flare/runs/names.h"

namespace flare {
namespace {

template <class Item>
const Item* Find(const std::vector<Item>& items, std::string_view name) {
  for (const Item& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace

const Names::Architecture* Names::FindArchitecture(std::string_view name) const {
  return Find(architectures, name);
}

const Names::LossTerm* Names::FindLossTerm(std::string_view name) const {
  return Find(loss_terms, name);
}

}  // namespace flare
