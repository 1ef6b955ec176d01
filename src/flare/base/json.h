// JSON documents: nlohmann's, with the order of keys kept.

#ifndef FLARE_BASE_JSON_H_
#define FLARE_BASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

namespace flare {

using Json = nlohmann::ordered_json;

// The document as text, with a newline at its end. Bytes that are not UTF-8 (of a file's name, say)
// become the replacement character: a report must not fail over them.
std::string JsonText(const Json& json);

// "a.b is 1, not 2" for the first leaf in which two documents differ; empty if in none. `key` is
// where they stand in a larger one.
std::string FirstDifference(const Json& there, const Json& wanted, const std::string& key = "");

}  // namespace flare

#endif  // FLARE_BASE_JSON_H_
