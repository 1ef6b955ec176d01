// For tests that run once per language of the catalogue:
//
//   class EveryLanguage : public testing::TestWithParam<CatalogEntry> {};
//   INSTANTIATE_TEST_SUITE_P(Catalog, EveryLanguage, AllLanguages(), LanguageTestName);

#ifndef FLARE_TESTS_SUPPORT_EVERY_LANGUAGE_H_
#define FLARE_TESTS_SUPPORT_EVERY_LANGUAGE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "flare/languages/catalog.h"

namespace flare {

// How GoogleTest prints the parameter.
inline void PrintTo(const CatalogEntry& entry, std::ostream* out) { *out << entry.name; }

inline std::vector<CatalogEntry> EntriesWhere(bool (*holds)(const CatalogEntry&)) {
  std::vector<CatalogEntry> entries;
  std::copy_if(Catalog().begin(), Catalog().end(), std::back_inserter(entries), holds);
  return entries;
}

inline bool IsRegular(const CatalogEntry& entry) {
  return entry.language_class == LanguageClass::kRegular;
}

// Of which there is published data.
inline bool IsInPaper(const CatalogEntry& entry) { return entry.origin == Origin::kPaper; }

inline bool IsRegularOfPaper(const CatalogEntry& entry) {
  return IsRegular(entry) && IsInPaper(entry);
}

inline auto AllLanguages() { return testing::ValuesIn(Catalog().begin(), Catalog().end()); }

// The name with the characters that a test name may have.
inline std::string LanguageTestName(const testing::TestParamInfo<CatalogEntry>& parameter) {
  std::string name = parameter.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_EVERY_LANGUAGE_H_
