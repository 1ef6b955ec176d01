// Titles of languages, architectures, losses, validation sets and budgets in tables, figures and
// the page.

#ifndef FLARE_REPORT_TITLES_H_
#define FLARE_REPORT_TITLES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/cohorts.h"
#include "flare/report/study.h"
#include "flare/runs/run_directory.h"

namespace flare::report {

// "Dyck-(2, 3)"; languages that are not built in as they are.
std::string LanguageTitle(const std::string& language);
// The state of a run, in a word: "waiting" for one that is left.
std::string StateWord(RunState state);

// The name as part of a file's: letters, digits and dashes.
std::string FileStem(const std::string& name);

// An architecture as papers write it, "Simple RNN", "DeltaNet", or where there is little room,
// "RNN"; another program's name as it is.
std::string ArchitectureTitle(const std::string& architecture, bool is_short = false);
// Returns the place of a plain, known architecture among these; nothing for others.
std::optional<std::size_t> PlaceOfArchitecture(const std::string& variant);
// Returns the title with settings: "LSTM, layers=2, dropout=0".
std::string VariantTitle(const std::string& variant, bool is_short = false);
// Returns the title of a cohort among others: its label, else its architecture with the settings in
// which others without a label differ from it ("Mamba, signed" and "Mamba, positive"); and its
// note. If another cohort has the same title, its variant is added.
std::string CohortTitle(const Cohort& one, const std::vector<Cohort>& all, bool is_short);
// "R+LM+NS" for "rec+lm+ns".
std::string LossTitle(const std::string& loss);
// Several, "R, R+NS".
std::string LossTitles(const std::vector<std::string>& losses);
// "S", "L"; others as they are.
std::string ValidationAbbreviation(const std::string& validation);
// Names of files for languages whose names may hold anything: letters, digits, '.' and '-' stay,
// runs of others become '-', and a number is added where two would be the same.
std::map<std::string, std::string> FileStems(const std::vector<std::string>& languages);
// "Inductive bias" for "Inductive Bias".
std::string SentenceCase(const std::string& title);
// "64k".
std::string BudgetTitle(std::uint64_t budget);

// Descriptions of the data for captions and figures, taken from the data itself.

// The lengths of a split of a language; nothing if they are not known.
std::optional<LengthRange> LengthsOf(const Study& study, const std::string& language,
                                     const std::string& split);

// The longest lengths that a network has seen before the test: in training, and in the longest
// validation set of the grid; ascending, without repetition.
std::vector<std::size_t> SeenLengths(const Study& study, const std::string& language);

// "lengths up to 500", of all languages; "the split test" where the lengths are not known.
std::string LengthsText(const Study& study, const std::string& split);

}  // namespace flare::report

#endif  // FLARE_REPORT_TITLES_H_
