#include "flare/classes/classification_json.h"

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

}  // namespace flare::classes
