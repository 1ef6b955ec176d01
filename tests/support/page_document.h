// Documents of a report's page, read as its scripts would (src/flare/report/page.cc, Packer).

#ifndef FLARE_TESTS_SUPPORT_PAGE_DOCUMENT_H_
#define FLARE_TESTS_SUPPORT_PAGE_DOCUMENT_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/base/json.h"

namespace flare {

inline Json Unpacked(const Json& packed, const Json& shapes, const Json& texts) {
  if (!packed.is_array()) return packed;
  const auto kind = packed[0].get<std::int64_t>();
  const auto place = static_cast<std::size_t>(kind < 0 ? -kind - 1 : kind - 1);
  if (kind < 0) return Unpacked(texts.at(place), shapes, texts);
  Json document = kind == 0 ? Json::array() : Json::object();
  for (std::size_t i = 1; i < packed.size(); ++i) {
    Json item = Unpacked(packed[i], shapes, texts);
    if (kind == 0) {
      document.push_back(std::move(item));
    } else {
      document[shapes.at(place).at(i - 1).get<std::string>()] = std::move(item);
    }
  }
  return document;
}

// The document of this key in a script: FLARE.put(SHAPES,TEXTS,DOCUMENTS); null if there is none.
inline Json PageDocument(const std::filesystem::path& script, const std::string& key) {
  const std::string text = ReadFile(script);
  const std::size_t begin = text.find('(') + 1;
  const Json put = Json::parse('[' + text.substr(begin, text.rfind(')') - begin) + ']');
  for (const Json& document : put.at(2)) {
    if (document.at(0) == key) return Unpacked(document.at(1), put.at(0), put.at(1));
  }
  return nullptr;
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_PAGE_DOCUMENT_H_
