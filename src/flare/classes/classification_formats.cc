#include "flare/classes/classification_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace flare::classes {
namespace {

Json MonoidJson(const MonoidSummary& monoid) {
  Json json = {{"size", monoid.limit.empty() ? Json(monoid.size) : Json(nullptr)},
               {"complete", monoid.limit.empty()},
               {"limit", monoid.limit.empty() ? Json(nullptr) : Json(monoid.limit)}};
  if (!monoid.limit.empty()) return json;
  json["idempotents"] = monoid.idempotents;
  json["r_classes"] = monoid.r_classes;
  json["l_classes"] = monoid.l_classes;
  json["d_classes"] = monoid.d_classes;
  json["h_classes"] = monoid.h_classes;
  json["regular_d_classes"] = monoid.regular_d_classes;
  json["groups"] = Json::array();
  for (const GroupSummary& group : monoid.groups) {
    json["groups"].push_back({{"order", group.order},
                              {"abelian", group.abelian},
                              {"derived_series", group.derived_series}});
  }
  return json;
}

Json WitnessJson(const Witness& witness, const Alphabet& alphabet) {
  Json json = {{"claim", witness.claim}, {"words", Json::object()}, {"moves", Json::array()}};
  for (const auto& [name, word] : witness.words) {
    json["words"][std::string(1, name)] = alphabet.Format(word);
  }
  for (const auto& [word, from, to] : witness.moves) {
    json["moves"].push_back({{"word", word}, {"from", Index(from)}, {"to", Index(to)}});
  }
  return json;
}

Json PotentialsJson(const ComponentPotentials& component) {
  return {{"states", component.states}, {"rounds", component.rounds}};
}

Json ProofJson(const std::optional<CountingProof>& proof, const Alphabet& alphabet) {
  if (!proof) return nullptr;
  const auto part_json = [&](const CountingProof::Part& part) -> Json {
    Json json = {{"before", part.symbol ? Json(alphabet.Name(*part.symbol)) : Json(nullptr)},
                 {"components", Json::array()}};
    for (const auto& component : part.components) {
      json["components"].push_back(PotentialsJson(component));
    }
    return json;
  };
  Json json = {
      {"parts", Json::array()},
      {"alike", proof->alike ? Json{proof->alike->first, proof->alike->second} : Json(nullptr)}};
  for (const auto& part : proof->parts) json["parts"].push_back(part_json(part));
  return json;
}

Json CircuitClassJson(CircuitClass c) {
  switch (c) {
    case CircuitClass::kAC0:
      return "AC0";
    case CircuitClass::kACC0:
      return "ACC0";
    case CircuitClass::kNC1Complete:
      return "NC1-complete";
    case CircuitClass::kUnknown:
      break;
  }
  return nullptr;
}

}  // namespace

Json ClassificationToJson(const Classification& classification) {
  Json json = {{"states", classification.num_states},
               {"sink", classification.sink ? Json(Index(*classification.sink)) : Json(nullptr)},
               {"tier", Json::array()},
               {"classes", SmallestClasses(classification)},
               {"monoid", MonoidJson(classification.monoid)},
               {"circuit_class", CircuitClassJson(classification.circuit_class)},
               {"properties", Json::object()},
               {"limits", Json::object()}};
  for (const Symbol a : classification.tier)
    json["tier"].push_back(classification.alphabet.Name(a));
  for (const auto& [key, property] : classification.properties) {
    json["properties"][key] = {
        {"holds", OrNull(property.holds)},
        {"k", OrNull(property.k)},
        {"witness", property.witness ? WitnessJson(*property.witness, classification.alphabet)
                                     : Json(nullptr)}};
    if (key == "c_rasp") {
      json["properties"][key]["certificate"] =
          ProofJson(classification.c_rasp_proof, classification.alphabet);
    } else if (key == "c_rasp_last") {
      json["properties"][key]["certificate"] =
          ProofJson(classification.c_rasp_last_proof, classification.alphabet);
    }
    if (!property.limit.empty()) json["limits"][key] = property.limit;
  }
  return json;
}

namespace {

std::string Plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

std::string MonoidText(const MonoidSummary& monoid) {
  if (!monoid.limit.empty()) return fmt::format("unknown: {}", monoid.limit);
  return fmt::format("{}, {} idempotent; {} ({} regular), {} R-, {} L- and {} H-classes",
                     Plural(monoid.size, "element"), monoid.idempotents,
                     Plural(monoid.d_classes, "D-class"), monoid.regular_d_classes,
                     monoid.r_classes, monoid.l_classes, monoid.h_classes);
}

std::string GroupsText(const MonoidSummary& monoid) {
  if (!monoid.limit.empty()) return "unknown";
  if (monoid.groups.empty()) return "only trivial ones";
  std::vector<std::string> groups;
  for (const GroupSummary& group : monoid.groups) {
    groups.push_back(fmt::format("order {}, {} (derived series {})", group.order,
                                 group.abelian                      ? "abelian"
                                 : group.derived_series.back() == 1 ? "solvable"
                                                                    : "not solvable",
                                 fmt::join(group.derived_series, " > ")));
  }
  return fmt::format("{}", fmt::join(groups, "; "));
}

class WitnessText {
 public:
  explicit WitnessText(const Classification& classification) : c_(classification) {}

  // The claim on one line, the words and what they do on the next; or where they stood before.
  std::string operator()(const std::string& title, const Witness& witness) {
    const std::string lines = fmt::format("    {}\n    {}\n", witness.claim, Details(witness));
    const auto [said, is_new] = said_.try_emplace(lines, title);
    return is_new ? lines : fmt::format("    as for {}\n", said->second);
  }

 private:
  std::string StateName(StateId q) const {
    return c_.sink == q ? "sink" : std::to_string(Index(q));
  }

  std::string Details(const Witness& witness) const {
    std::vector<std::string> words, moves;
    for (const auto& [name, word] : witness.words) {
      words.push_back(fmt::format("{} = {}", name, word.empty() ? "ε" : c_.alphabet.Format(word)));
    }
    for (const auto& [word, from, to] : witness.moves) {
      moves.push_back(fmt::format("{} –{}→ {}", StateName(from), word, StateName(to)));
    }
    if (moves.empty()) return fmt::format("{}", fmt::join(words, ", "));
    return fmt::format("{}; {}", fmt::join(words, ", "), fmt::join(moves, ", "));
  }

  const Classification& c_;
  // Sentences, with the class that each was first used for.
  std::map<std::string, std::string> said_;
};

std::string Answer(const Property& property) {
  if (!property.holds) return "unknown";
  if (!*property.holds) return "no";
  return property.k ? fmt::format("yes, k = {}", *property.k) : "yes";
}

}  // namespace

std::string ClassificationText(const Classification& classification) {
  const bool has_neutral = classification.tier.size() != classification.alphabet.size();
  std::vector<std::string> tier;
  for (const Symbol a : classification.tier) tier.push_back(classification.alphabet.Name(a));
  std::string text = fmt::format(
      "automaton     {}{}\nmonoid        {}\ngroups        {}\ncircuits      {}\ncounting      "
      "{}\ntier          {}\n"
      "classes       {}\n\n",
      Plural(classification.num_states, "state"), classification.sink ? ", one of them a sink" : "",
      MonoidText(classification.monoid), GroupsText(classification.monoid),
      CircuitClassTitle(classification.circuit_class), CountingTitle(classification),
      has_neutral ? fmt::format("{} (the other symbols change nothing)",
                                tier.empty() ? "none" : fmt::format("{}", fmt::join(tier, " ")))
                  : "all symbols: classes on a tier are the same as without one",
      fmt::join(SmallestClasses(classification), "; "));
  WitnessText witness_text(classification);
  for (const auto& [key, property] : classification.properties) {
    if (key.starts_with("tier_") && !has_neutral) continue;
    const std::string title = PropertyTitle(key);
    text += fmt::format("{:<35} {}\n", title, Answer(property));
    if (!property.limit.empty()) text += fmt::format("    {}\n", property.limit);
    if (property.witness) text += witness_text(title, *property.witness);
  }
  return text;
}

std::string ClassesText(const Classification& classification) {
  return fmt::format("classes       {}\ncircuits      {}\ncounting      {}\n",
                     fmt::join(SmallestClasses(classification), "; "),
                     CircuitClassTitle(classification.circuit_class),
                     CountingTitle(classification));
}

std::string ShortClassification(const Classification& classification) {
  std::vector<std::string> parts = SmallestClasses(classification);
  parts.push_back(classification.circuit_class == CircuitClass::kUnknown
                      ? "circuit class unknown"
                      : CircuitClassTitle(classification.circuit_class));
  if (classification.At("c_rasp_last").holds == true)
    parts.push_back(CountingTitle(classification));
  parts.push_back(classification.monoid.limit.empty()
                      ? fmt::format("monoid of {}", Plural(classification.monoid.size, "element"))
                      : classification.monoid.limit);
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace flare::classes
