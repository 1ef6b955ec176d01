#include "flare/report/titles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "flare/base/text.h"
#include "flare/languages/catalog.h"
#include "flare/runs/coordinates.h"
#include "flare/runs/run_settings.h"

namespace flare::report {

std::string LanguageTitle(const std::string& language) {
  const CatalogEntry* entry = FindInCatalog(language);
  return entry != nullptr ? entry->title : language;
}

std::string StateWord(RunState state) { return state == RunState::kLeft ? "waiting" : Name(state); }

namespace {

struct ArchitectureName {
  const char *id, *title, *abbreviation;
};
constexpr std::array<ArchitectureName, 13> kArchitectureNames = {{
    {"transformer", "Transformer", "Tf"},
    {"rnn", "Simple RNN", "RNN"},
    {"lstm", "LSTM", "LSTM"},
    {"gru", "GRU", "GRU"},
    {"mamba", "Mamba", "Mamba"},
    {"deltanet", "DeltaNet", "DeltaNet"},
    {"mlstm", "mLSTM", "mLSTM"},
    {"slstm", "sLSTM", "sLSTM"},
    {"gla", "GLA", "GLA"},
    {"mamba2", "Mamba-2", "Mamba-2"},
    {"rwkv7", "RWKV-7", "RWKV-7"},
    {"stack-rnn", "Stack RNN", "Stack RNN"},
    {"stack-lstm", "Stack LSTM", "Stack LSTM"},
}};

// "layers" and "2" of "lstm,layers=2".
std::vector<std::pair<std::string, std::string>> SettingsIn(const std::string& variant) {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t begin = variant.find(','); begin < variant.size();) {
    const std::size_t end = std::min(variant.find(',', begin + 1), variant.size());
    const std::string part = variant.substr(begin + 1, end - begin - 1);
    const std::size_t equals = std::min(part.find('='), part.size());
    all.emplace_back(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
    begin = end;
  }
  return all;
}

// Returns the value of a setting, whether the variant names it or not; nothing if runs draw it, or
// do not have it. Lists of settings leave out what means what it did before there was the setting.
std::optional<std::string> ValueOf(const Cohort& cohort, const std::string& setting) {
  for (const auto* texts : {&cohort.options, &cohort.settings}) {
    const auto found = texts->find(setting);
    if (found != texts->end()) return found->second;
  }
  static const std::set<std::string> left_out = [] {
    std::set<std::string> keys;
    for (const std::string& key : SettingKeysOfAllRuns()) {
      if (!key.ends_with("_coefficient")) keys.insert(key);
    }
    for (const char* drawn : {"batch_tokens", "learning_rate", "hidden", "budget", "select"}) {
      keys.erase(drawn);
    }
    return keys;
  }();
  if (!left_out.contains(setting)) return std::nullopt;
  return SettingText(RunSettings{}, setting);
}

// A value that says of itself what it is about: "signed", but neither "2" nor "none".
bool IsTelling(const std::string& value) {
  static const std::set<std::string> empty = {"none", "true", "false", "auto", "default"};
  return !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) != 0 &&
         !empty.contains(value);
}

// The settings that tell a cohort from those of its architecture that have no label either, and
// those of its own variant that not all cohorts have.
std::string TitleByDifference(const Cohort& one, const std::vector<Cohort>& all, bool is_short) {
  const std::string architecture = ArchitectureOf(one.variant);
  std::vector<std::string> settings;
  for (const auto& [setting, value] : SettingsIn(one.variant)) settings.push_back(setting);
  for (const Cohort& other : all) {
    if (!other.label.empty() || ArchitectureOf(other.variant) != architecture) continue;
    for (const auto& [setting, value] : SettingsIn(other.variant)) settings.push_back(setting);
  }
  std::sort(settings.begin(), settings.end());
  settings.erase(std::unique(settings.begin(), settings.end()), settings.end());
  std::string title = ArchitectureTitle(architecture, is_short);
  for (const std::string& setting : settings) {
    const auto value = ValueOf(one, setting);
    // The title of a family leaves out the settings that vary in it.
    if (!value || one.id.find(fmt::format(",{}=*", setting)) != std::string::npos) {
      continue;
    }
    const bool differs =
        all.size() < 2 || std::any_of(all.begin(), all.end(), [&](const Cohort& c) {
          const auto theirs = ValueOf(c, setting);
          return theirs && *theirs != *value;
        });
    if (differs)
      title += IsTelling(*value) ? ", " + *value : fmt::format(", {}={}", setting, *value);
  }
  return title;
}

std::string WithVariant(const Cohort& cohort, const std::string& title) {
  return fmt::format("{} ({})", title, cohort.variant);
}

}  // namespace

std::string ArchitectureTitle(const std::string& architecture, bool is_short) {
  for (const ArchitectureName& name : kArchitectureNames) {
    if (name.id == architecture) return is_short ? name.abbreviation : name.title;
  }
  return architecture;
}

std::optional<std::size_t> PlaceOfArchitecture(const std::string& variant) {
  for (std::size_t i = 0; i < kArchitectureNames.size(); ++i) {
    if (kArchitectureNames[i].id == variant) return i;
  }
  return std::nullopt;
}

std::string VariantTitle(const std::string& variant, bool is_short) {
  std::string title = ArchitectureTitle(ArchitectureOf(variant), is_short);
  for (const auto& [setting, value] : SettingsIn(variant)) {
    title += fmt::format(", {}={}", setting, value);
  }
  return title;
}

std::string CohortTitle(const Cohort& one, const std::vector<Cohort>& all, bool is_short) {
  std::string title = one.label.empty() ? TitleByDifference(one, all, is_short) : one.label;
  const bool is_one_of_them = std::any_of(
      all.begin(), all.end(), [&](const Cohort& cohort) { return cohort.id == one.id; });
  const bool is_others = std::any_of(all.begin(), all.end(), [&](const Cohort& other) {
    if (other.id == one.id || other.note != one.note || other.variant == one.variant) return false;
    // A family has the label of its cohorts.
    if (!is_one_of_them && other.label == one.label &&
        ArchitectureOf(other.variant) == ArchitectureOf(one.variant)) {
      return false;
    }
    if (!other.label.empty()) {
      // A cohort without a label keeps its name.
      return !one.label.empty() &&
             (other.label == title || WithVariant(other, other.label) == title);
    }
    for (const bool in_short : {false, true}) {
      const std::string architecture = ArchitectureOf(other.variant);
      const std::string theirs = ArchitectureTitle(architecture, in_short);
      // Cohorts of one architecture differ in a setting.
      if (one.label.empty()
              ? theirs == ArchitectureTitle(ArchitectureOf(one.variant), in_short) &&
                    architecture != ArchitectureOf(one.variant)
              : title.starts_with(theirs) && TitleByDifference(other, all, in_short) == title) {
        return true;
      }
    }
    return false;
  });
  if (is_others) title = WithVariant(one, title);
  return one.note.empty() ? title : fmt::format("{} ({})", title, one.note);
}

std::string LossTitle(const std::string& loss) {
  return loss.starts_with("rec") ? "R" + InCapitals(loss.substr(3)) : loss;
}

std::string LossTitles(const std::vector<std::string>& losses) {
  std::string text;
  for (const std::string& loss : losses) text += (text.empty() ? "" : ", ") + LossTitle(loss);
  return text;
}

std::string ValidationAbbreviation(const std::string& validation) {
  if (validation == "short") return "S";
  return validation == "long" ? "L" : validation;
}

std::string FileStem(const std::string& name) {
  std::string stem;
  for (std::size_t i = 0; i < name.size();) {
    const auto character = Utf8CharacterAt(name, i);
    const auto c = static_cast<unsigned char>(name[i]);
    i += character ? character->size() : 1;
    if (character && character->size() > 1) {
      stem += fmt::format("u{:04x}", static_cast<std::uint32_t>(CodePoint(*character)));
    } else if (c < 0x80 && (std::isalnum(c) != 0 || c == '-')) {
      stem += static_cast<char>(c);
    } else if (!stem.ends_with('-')) {
      stem += '-';
    }
  }
  return stem;
}

std::map<std::string, std::string> FileStems(const std::vector<std::string>& languages) {
  std::map<std::string, std::string> stems;
  std::set<std::string> taken;
  for (const std::string& language : languages) {
    const std::string stem = FileStem(language);
    std::string name = stem;
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = stem + "-" + std::to_string(number);
    }
    stems[language] = name;
  }
  return stems;
}

std::string SentenceCase(const std::string& title) {
  std::string text = title;
  for (std::size_t i = 1; i < text.size(); ++i) {
    // Not "RNN": a word of capitals stays.
    const bool begins_word = text[i - 1] == ' ';
    const bool is_word =
        i + 1 < text.size() && std::islower(static_cast<unsigned char>(text[i + 1]));
    if (begins_word && is_word) {
      text[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    }
  }
  return text;
}

std::string BudgetTitle(std::uint64_t budget) {
  return budget % 1000 == 0 ? std::to_string(budget / 1000) + "k" : std::to_string(budget);
}

std::optional<LengthRange> LengthsOf(const Study& study, const std::string& language,
                                     const std::string& split) {
  const auto facts = study.facts.find(language);
  if (facts == study.facts.end()) return std::nullopt;
  const auto lengths = facts->second.lengths.find(split);
  return lengths == facts->second.lengths.end() ? std::nullopt : std::optional(lengths->second);
}

std::vector<std::size_t> SeenLengths(const Study& study, const std::string& language) {
  std::set<std::size_t> seen;
  if (const auto train = LengthsOf(study, language, "train")) seen.insert(train->max);
  std::size_t validation = 0;
  for (const std::string& name : study.axes.validations) {
    const auto lengths = LengthsOf(study, language, ValidationSplit(name));
    if (lengths) validation = std::max(validation, lengths->max);
  }
  if (validation > 0) seen.insert(validation);
  return {seen.begin(), seen.end()};
}

std::string LengthsText(const Study& study, const std::string& split) {
  std::set<std::string> texts;
  for (const std::string& language : study.axes.languages) {
    const auto lengths = LengthsOf(study, language, split);
    if (!lengths) return "the split " + split;
    // In some languages the shortest string has a few symbols.
    texts.insert(4 * lengths->min < lengths->max ? fmt::format("up to {}", lengths->max)
                 : lengths->min == lengths->max
                     ? fmt::format("{}", lengths->max)
                     : fmt::format("{} to {}", lengths->min, lengths->max));
  }
  const bool is_one = texts.size() == 1 && texts.begin()->find(' ') == std::string::npos;
  return fmt::format("{} {}{}", is_one ? "length" : "lengths", fmt::join(texts, " or "),
                     texts.size() > 1 ? ", by language" : "");
}

}  // namespace flare::report
