// Which language a dataset directory is about.

#ifndef FLARE_DATA_DATASET_LANGUAGE_H_
#define FLARE_DATA_DATASET_LANGUAGE_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/data/dataset_config.h"
#include "flare/data/manifest.h"
#include "flare/languages/language.h"
#include "flare/languages/source.h"

namespace flare {

struct DatasetLanguage {
  NamedLanguage language;
  std::optional<Manifest> manifest;
  // How the splits were drawn: by the manifest, else what their names mean in the published data.
  DatasetConfig config;

  // The configuration of a split, or null if its name says nothing.
  const SplitConfig* FindSplit(const std::string& name) const;
};

// Does the directory itself say which language it is about? Without a manifest, by the name of one
// of the paper's, if the labels that a network sees bear it out; those of a test set need not,
// since one that was published has wrong ones.
bool HasKnownLanguage(const std::filesystem::path& dataset);

// `override` is what a user names as the language; empty: the manifest's, else the
// paper's language of the directory's name. An envelope of `options` goes with either, the others
// say how an override is read, and are refused without one. Throws InputError if no language is
// known.
DatasetLanguage FindDatasetLanguage(const std::filesystem::path& dataset,
                                    const std::string& override = "",
                                    const ResolveOptions& options = {});

// The format of a dataset's members (languages/envelope.h): that of its language, or the envelope
// that the manifest keeps of a language which only a program knows; in either case the envelope of
// `options` comes first. Nothing where none is known. Throws InputError if a pattern does not fit,
// or if `options` say how another text is read.
struct DatasetFormat {
  std::string pattern;
  Dfa automaton;
};
std::optional<DatasetFormat> FindFormat(const std::filesystem::path& dataset,
                                        const ResolveOptions& options = {});

// Returns the contents of a file of the dataset by its relative path; nothing if it is not
// available.
using DatasetFileReader =
    std::function<std::optional<std::string>(const std::filesystem::path& file)>;

// Decides whether a dataset without a manifest is of the language that its directory's name
// suggests: it is if the language gives every label. Returns why it is not, as "train labels '0 1'
// with 1"; empty if the labels of these splits are all right.
std::string LabelGap(const Language& language, const std::vector<std::string>& splits,
                     const DatasetFileReader& read);

}  // namespace flare

#endif  // FLARE_DATA_DATASET_LANGUAGE_H_
