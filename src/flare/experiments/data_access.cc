#include "flare/experiments/data_access.h"

#include <fmt/format.h>

#include <exception>

#include "flare/base/error.h"
#include "flare/data/flare_files.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

constexpr const char* kRestore =
    "restore the data: flare sweep plan --repair makes again what it made";

bool IsInside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

RunData OpenPlannedData(const Sweep& sweep, const std::string& language) {
  const fs::path dataset = sweep.DatasetPath(language);
  const auto planned = sweep.data_sha256.find(language);
  if (planned == sweep.data_sha256.end()) return IdentifyData(dataset);
  RunData data;
  try {
    data = IdentifyData(dataset);
  } catch (const InputError& error) {
    throw Unavailable("", error.what(), kRestore);
  }
  if (planned->second != data.pinned.Sha256OfAll()) {
    throw Unavailable(data.pinned.path, "is not the data that the sweep was planned with",
                      kRestore);
  }
  return data;
}

bool HasDataset(const fs::path& dataset) {
  std::error_code unseen;
  return fs::exists(dataset / kMainFile, unseen);
}

bool CaughtDataAway(const Sweep& sweep, const std::string& language) {
  const fs::path dataset = sweep.DatasetPath(language);
  try {
    throw;
  } catch (const Unavailable&) {
    return true;
  } catch (const InputError&) {
    return !HasDataset(dataset);
  } catch (const IoError& error) {
    return IsInside(error.path(), dataset);
  } catch (const fs::filesystem_error& error) {
    return IsInside(error.path1(), dataset);
  } catch (...) {
    return false;
  }
}

void CheckSomeDataIsThere(const Sweep& sweep, const std::set<std::string>& languages) {
  std::error_code unseen, first_fault;
  for (const std::string& language : languages) {
    if (fs::exists(sweep.DatasetPath(language), unseen)) return;
    if (language == *languages.begin()) first_fault = unseen;
  }
  if (languages.empty()) return;
  const fs::path dataset = sweep.DatasetPath(*languages.begin());
  if (first_fault) throw IoError(dataset, "look at", first_fault.value());
  throw Unavailable(dataset, "no such dataset",
                    "sweep.json says that the data is there; flare sweep plan makes it again");
}

bool LanguagesAway::MayWait(const std::string& language) const {
  if (!may_wait_ || !there_.data_sha256.contains(language)) return false;
  const Grid::GridLanguage& planned = there_.grid.Language(language);
  const Grid::GridLanguage& wanted = wanted_.grid.Language(language);
  return planned.language == wanted.language && planned.envelope == wanted.envelope;
}

void LanguagesAway::Try(const std::string& language, const std::function<void()>& look) {
  if (away_.contains(language)) return;
  try {
    look();
  } catch (const std::exception&) {  // of any kind: the dataset may be unreadable
    if (!MayWait(language)) throw;
    away_.insert(language);
    if (away_.size() == there_.grid.languages.size()) throw;  // no language is left to go on with
    observer_.Say(fmt::format("{}; its runs wait for it", CaughtFault()));
  }
}

void DataPatience::NoteAway(const std::string& language) {
  away_.insert(language);
  if (!since_) since_.emplace();
}

void DataPatience::NoteOther(const std::string& language) {
  away_.erase(language);
  since_.reset();
}

}  // namespace flare
