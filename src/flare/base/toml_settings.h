// Settings in TOML, of datasets and of grids: documents, and tables as flat lists of texts, since
// settings are read from text wherever they come from.

#ifndef FLARE_BASE_TOML_SETTINGS_H_
#define FLARE_BASE_TOML_SETTINGS_H_

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

namespace flare {

// Throws InputError with file and line. toml++ bounds how deep values nest, but not how many parts
// a dotted key has, each of which is a table in a table; so the dots of a document are counted.
toml::table ParseToml(std::string_view text, const std::string& file);

// "file:line" of a node.
std::string WhereIs(const toml::node& node, const std::string& file);

// A number, a word or a truth value as text. Throws InputError for anything else; `key` is what it
// is called.
std::string TomlText(const toml::node& node, const std::string& key, const std::string& file);

// A list of those, or of lists, as text: "[50, 100]", "[[0, 10], [5000, 20]]".
std::string TomlListText(const toml::array& list, const std::string& key, const std::string& file);

struct TomlSetting {
  std::string key;  // dotted: splits.train.size
  std::string value;
  std::string where;
};

// Every value of the table and of those inside it; a list as its text. Throws InputError for what
// is not a number, a word, a truth value or a list of those, and for an inner table without any.
std::vector<TomlSetting> SettingsIn(const toml::table& table, const std::string& file);

}  // namespace flare

#endif  // FLARE_BASE_TOML_SETTINGS_H_
