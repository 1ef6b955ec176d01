#include "flare/runs/coordinates.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/runs/run_settings.h"

namespace flare {

namespace {

constexpr std::size_t kLongestText = 200;

// A grid gives these settings elsewhere than among the variants' settings.
constexpr std::string_view kCoordinates[] = {"architecture", "loss", "validation", "budget",
                                             "seed"};

// Settings without a fixed default: they are drawn, or follow from others.
bool HasDefault(const std::string& key) {
  return key != "batch_tokens" && key != "learning_rate" && key != "hidden" &&
         !key.ends_with("_coefficient");
}

// A number as a person writes it: 0 for 0.0.
std::string Plain(const std::string& value) {
  return value.ends_with(".0") ? value.substr(0, value.size() - 2) : value;
}

}  // namespace

std::string Variant::Text() const {
  std::string text = architecture;
  for (const auto& [key, value] : settings) text += fmt::format(",{}={}", key, value);
  return text;
}

std::string ArchitectureOf(std::string_view variant) {
  return std::string(variant.substr(0, variant.find(',')));
}

Variant MakeVariant(const std::string& architecture, const SettingTexts& settings,
                    const SettingPlaces& places, const std::vector<External>& externals) {
  for (const std::string_view coordinate : kCoordinates) {
    if (settings.contains(std::string(coordinate))) {
      throw InputError(places.Line(std::string(coordinate)),
                       fmt::format("{}: a coordinate of the grid, not a setting", coordinate));
    }
  }
  // A loss with every term accepts the coefficients of all of them.
  SettingTexts texts = settings;
  texts["architecture"] = architecture;
  texts["loss"] = AllLosses().back();
  const RunSettings parsed = ParseSettings(texts, places, externals);
  const RunSettings usual =
      ParseSettings({{"architecture", architecture}, {"loss", texts["loss"]}}, places, externals);
  Variant variant{architecture, {}, ""};
  for (const auto& [key, text] : settings) {
    const std::string value = SettingText(parsed, key);
    if (HasDefault(key) && value == SettingText(usual, key)) continue;
    variant.settings[key] = Plain(value);
  }
  if (const std::string text = variant.Text(); text.size() > kLongestText) {
    throw InputError(places.file(),
                     fmt::format("{} has more than {} bytes, too many for a directory's name",
                                 Quoted(text), kLongestText));
  }
  return variant;
}

Variant ParseVariant(const std::string& text, const std::string& where,
                     const std::vector<External>& externals) {
  SettingTexts settings;
  for (std::size_t begin = std::min(text.find(','), text.size()); begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin + 1), text.size());
    const std::string part = text.substr(begin + 1, end - begin - 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      throw InputError(
          where,
          fmt::format("{} is not a variant: expected ARCHITECTURE,KEY=VALUE,...", Quoted(text)));
    }
    settings[part.substr(0, equals)] = part.substr(equals + 1);
    begin = end;
  }
  Variant variant = MakeVariant(ArchitectureOf(text), settings, where, externals);
  if (variant.Text() != text) {
    throw InputError(where, fmt::format("{} is not how this variant is written: {}", Quoted(text),
                                        variant.Text()));
  }
  return variant;
}

std::string Coordinates::architecture() const { return ArchitectureOf(variant); }

std::string Coordinates::Path() const {
  return fmt::format("{}/{}/{}/{}/{}/{}", language, variant, loss, validation, budget, trial);
}

const std::vector<std::string>& Coordinates::CoordinateNames() {
  static const std::vector<std::string> names = {"language",   "architecture", "variant", "loss",
                                                 "validation", "budget",       "trial"};
  return names;
}

std::string Coordinates::Get(std::string_view name) const {
  if (name == "language") return language;
  if (name == "architecture") return architecture();
  if (name == "variant") return variant;
  if (name == "loss") return loss;
  if (name == "validation") return validation;
  if (name == "budget") return std::to_string(budget);
  FLARE_CHECK(name == "trial");
  return std::to_string(trial);
}

}  // namespace flare
