#include "flare/report/titles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "flare/base/text.h"
#include "flare/languages/catalog.h"
#include "flare/runs/coordinates.h"
#include "flare/runs/run_settings.h"

namespace flare::report {

namespace {

// "lstm,layers=2,dropout=0" as "LSTM, layers=2, dropout=0".
template <class TitleOf>
std::string WithSettings(const std::string& variant, TitleOf title_of) {
  const std::string architecture = ArchitectureOf(variant);
  std::string title = title_of(architecture);
  for (const char c : variant.substr(architecture.size())) {
    title += c;
    if (c == ',') title += ' ';
  }
  return title;
}

}  // namespace

std::string LanguageTitle(const std::string& language) {
  const CatalogEntry* entry = FindInCatalog(language);
  return entry != nullptr ? entry->title : language;
}

std::string StateWord(RunState state) { return state == RunState::kLeft ? "waiting" : Name(state); }

std::string VariantAbbreviation(const std::string& variant) {
  return WithSettings(variant, [](const std::string& architecture) {
    return architecture == "transformer" ? "Tf" : InCapitals(architecture);
  });
}

std::string VariantTitle(const std::string& variant) {
  return WithSettings(variant, [](const std::string& architecture) {
    if (architecture == "transformer") return std::string("Transformer");
    return architecture == "rnn" ? "Simple RNN" : InCapitals(architecture);
  });
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
  // The page has files of its own next to those of the languages; and "a" has a file a.runs.js, so
  // that no name may have dots.
  std::set<std::string> taken = {"overview", "stamp"};
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
    // For some languages the shortest string has a few symbols.
    texts.insert(4 * lengths->min < lengths->max
                     ? fmt::format("up to {}", lengths->max)
                     : fmt::format("{} to {}", lengths->min, lengths->max));
  }
  return fmt::format("lengths {}{}", fmt::join(texts, " or "),
                     texts.size() > 1 ? ", by language" : "");
}

}  // namespace flare::report
