// A choice that a part of the program declares next to its equations, such as the positions of a
// transformer. This one declaration makes it known to flags, grids, files and factories.

#ifndef FLARE_BASE_OPTION_H_
#define FLARE_BASE_OPTION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace flare {

// Values of options, by name.
using OptionTexts = std::map<std::string, std::string>;

struct Option {
  std::string name;
  std::vector<std::string> values;    // the allowed words; without any, the value is a whole number
  std::uint64_t least = 0, most = 0;  // the range of a number
  std::string default_value;
  std::string help;
  // The value in files that lack the option: those that are older than it, and later ones with this
  // value. Empty: files always have the option.
  std::string before = {};
  // The option, declared before this one, whose value is the default; then default_value says so in
  // words. Empty: the default is default_value.
  std::string follows = {};

  // The value if nobody gives one; `earlier` has the values of the options declared before it.
  const std::string& Default(const OptionTexts& earlier) const {
    return follows.empty() ? default_value : earlier.at(follows);
  }
  // Returns the value that a file without this option means.
  const std::string& ValueIfAbsent() const { return before.empty() ? default_value : before; }
};

// The value as it is always written: 4 for 04. Throws InputError if the option cannot have it.
std::string OptionValue(const Option& option, const std::string& text, const std::string& where);

// The chosen value of an option whose values are numbers. Requires: it is there, and valid.
std::size_t OptionNumber(const OptionTexts& options, const std::string& name);

}  // namespace flare

#endif  // FLARE_BASE_OPTION_H_
