# Writes OUTPUT, a source file that makes FILES part of the program. HEADER must declare, in
# NAMESPACE,
#   std::optional<std::string_view> FUNCTION(std::string_view name);
# which finds a file by its name without directories; with ROOT, by its path below that. With LIST it
# must also declare
#   std::vector<std::string_view> LIST();
# which gives the names of all.
#   cmake -DOUTPUT=out.cc -DHEADER=a.h -DNAMESPACE=n -DFUNCTION=F -DFILES="a;b" -P embed.cmake
set(arrays "")
set(table "")
set(number 0)
foreach(file ${FILES})
  if(ROOT)
    file(RELATIVE_PATH name ${ROOT} ${file})
  else()
    get_filename_component(name ${file} NAME)
  endif()
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", kFile${number}, sizeof kFile${number} - 1},\n")
  math(EXPR number "${number} + 1")
endforeach()
set(list "")
if(LIST)
  set(list "
std::vector<std::string_view> ${LIST}() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}
")
endif()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

#include <cstddef>

namespace ${NAMESPACE} {
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

std::optional<std::string_view> ${FUNCTION}(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) {
      return std::string_view(reinterpret_cast<const char*>(entry.bytes), entry.size);
    }
  }
  return std::nullopt;
}
${list}
}  // namespace ${NAMESPACE}
")
