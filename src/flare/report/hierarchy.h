// Which languages an architecture recognizes perfectly, by the classes of the Chomsky hierarchy.

#ifndef FLARE_REPORT_HIERARCHY_H_
#define FLARE_REPORT_HIERARCHY_H_

#include <string>
#include <vector>

#include "flare/languages/language.h"
#include "flare/report/plot.h"
#include "flare/report/select.h"

namespace flare::report {

struct HierarchyClass {
  LanguageClass language_class;
  std::vector<std::string> languages;  // of the study, in grid order
};

// Classes are ordered from the regular languages outwards; languages of unknown class are in none.
std::vector<HierarchyClass> HierarchyOf(const Study& study);

// Perfect means an accuracy of exactly 1 in the study's BestColumn(). Nothing if there is no run
// yet.
std::optional<bool> IsPerfect(const Selection& selection, const std::string& language,
                              const std::string& architecture);

// The Chomsky hierarchy with a named dot per language, filled where an architecture recognizes it
// perfectly.
Canvas DrawHierarchy(const Selection& selection);

}  // namespace flare::report

#endif  // FLARE_REPORT_HIERARCHY_H_
