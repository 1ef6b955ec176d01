#include "flare/runs/evaluation_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"

namespace flare {
namespace {

// JSON has no infinities and no NaN.
template <class Float>
std::string Number(Float value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

constexpr std::string_view kExampleMembers[] = {"logit",         "label",         "length",
                                                "cross_entropy", "edit_distance", "num_edits"};

bool IsOwn(std::string_view name) {
  return std::find(std::begin(kExampleMembers), std::end(kExampleMembers), name) !=
         std::end(kExampleMembers);
}

}  // namespace

void AppendExample(const ExampleRow& row, std::string& text) {
  auto out = std::back_inserter(text);
  if (row.recognizes) {
    fmt::format_to(out, R"({{"logit":{},"label":{},"length":{},"cross_entropy":{})",
                   Number(row.logit), row.label ? 1 : 0, row.length, Number(row.cross_entropy));
  } else {
    fmt::format_to(out, R"({{"label":{},"length":{})", row.label ? 1 : 0, row.length);
  }
  for (const auto& [name, value] : row.of_terms) {
    fmt::format_to(out, R"(,"{}":{})", name, Number(value));
  }
  if (row.edit_distance) fmt::format_to(out, R"(,"edit_distance":{})", *row.edit_distance);
  if (row.num_edits) {
    fmt::format_to(out, R"(,"num_edits":{})",
                   *row.num_edits ? std::to_string(**row.num_edits) : "null");
  }
  text += "}\n";
}

std::vector<ExampleRow> ReadExamples(std::string_view text, const std::string& file,
                                     JsonReader& reader) {
  std::vector<ExampleRow> rows;
  reader.ForEachLine(text, file, [&](const JsonValue& json, std::size_t) {
    ExampleRow row{.logit = static_cast<float>(json.NumberOr("logit", kNotANumber)),
                   .label = json.Truth("label"),
                   .length = json.Count("length"),
                   .cross_entropy = json.NumberOr("cross_entropy", kNotANumber),
                   .recognizes = false,
                   .of_terms = {},
                   .edit_distance = json.MaybeCount("edit_distance"),
                   .num_edits = std::nullopt};
    json.ForEach([&](std::string_view name, const JsonValue& value) {
      row.recognizes = row.recognizes || name == "logit";
      if (name == "num_edits") {
        row.num_edits.emplace();
        if (!value.IsNull()) *row.num_edits = value.AsCount(name);
      } else if (!IsOwn(name)) {
        row.of_terms.emplace_back(name, value.IsNull() ? kNotANumber : value.AsNumber(name));
      }
    });
    rows.push_back(std::move(row));
  });
  return rows;
}

Json HardestToJson(const std::string& split, const std::vector<HardExample>& examples) {
  Json rows = Json::array();
  for (const HardExample& example : examples) {
    rows.push_back({{"index", example.index},
                    {"string", example.string},
                    {"label", example.label ? 1 : 0},
                    {"logit", example.logit},
                    {"prefix_probabilities", example.prefix_probabilities}});
  }
  return {{"split", split}, {"examples", std::move(rows)}};
}

std::vector<HardExample> HardestFromJson(const JsonValue& json) {
  std::vector<HardExample> examples;
  for (const JsonValue& row : json.Array("examples")) {
    HardExample example{.index = row.Count("index"),
                        .string = row.String("string"),
                        .label = row.Truth("label"),
                        .logit = static_cast<float>(row.NumberOr("logit", kNotANumber)),
                        .prefix_probabilities = {}};
    if (row.Find("prefix_probabilities")) {
      for (const JsonValue& p : row.Array("prefix_probabilities")) {
        example.prefix_probabilities.push_back(p.IsNull() ? kNotANumber
                                                          : p.AsNumber("prefix_probabilities"));
      }
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace flare
