# Writes OUTPUT, a source file that holds the bytes of FILES for EmbeddedFile (embedded.h):
#   cmake -DOUTPUT=embedded.cc -DFILES="a;b" -P embed.cmake
set(arrays "")
set(table "")
set(number 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", kFile${number}, sizeof kFile${number} - 1},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"flare/report/embedded.h\"

#include <cstddef>

#include \"flare/base/check.h\"

namespace flare::report {
namespace {

${arrays}
struct Entry {
  std::string_view name;
  const unsigned char* bytes;
  std::size_t size;
};
constexpr Entry kEntries[] = {
${table}};

}  // namespace

std::string_view EmbeddedFile(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return {reinterpret_cast<const char*>(entry.bytes), entry.size};
  }
  FLARE_CHECK(!\"no such embedded file\");
  return {};
}

}  // namespace flare::report
")
