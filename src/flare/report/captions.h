// What captions and figures say about the data: from the data.

#ifndef FLARE_REPORT_CAPTIONS_H_
#define FLARE_REPORT_CAPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/study.h"

namespace flare::report {

// The lengths of a split of a language; nothing if they are not known.
std::optional<LengthRange> LengthsOf(const Study& study, const std::string& language,
                                     const std::string& split);

// The longest lengths that a network has seen before the test: in training, and in the longest
// validation set of the grid; ascending, without repetition.
std::vector<std::size_t> SeenLengths(const Study& study, const std::string& language);

// "lengths up to 500", of all languages; "the split test" where the lengths are not known.
std::string LengthsText(const Study& study, const std::string& split);

}  // namespace flare::report

#endif  // FLARE_REPORT_CAPTIONS_H_
