// A curriculum: how long the strings of training may be, from which step on (the setting
// `curriculum`). People write [[0, 10], [5000, 20]]; files, paths and flags have 0:10+5000:20.

#ifndef FLARE_RUNS_CURRICULUM_H_
#define FLARE_RUNS_CURRICULUM_H_

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace flare {

struct Curriculum {
  struct Stage {
    std::size_t step = 0;  // the first one
    std::size_t longest = std::numeric_limits<std::size_t>::max();
  };
  // By step, the first from step 0. Without a curriculum there is one, of all lengths.
  std::vector<Stage> stages = {{}};

  // The stage that a step belongs to.
  std::size_t StageAt(std::size_t step) const;
  // Does a stage after the first begin with this step?
  bool BeginsAt(std::size_t step) const;
  // "0:10+5000:20"; empty if it says nothing.
  std::string Text() const;
};

// Reads either spelling; an empty text means no curriculum. Throws InputError unless the first
// stage begins at step 0, and steps and lengths grow.
Curriculum ParseCurriculum(const std::string& text, const std::string& where);

}  // namespace flare

#endif  // FLARE_RUNS_CURRICULUM_H_
