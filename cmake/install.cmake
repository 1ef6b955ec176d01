# cmake --install, and with it `cpack -G DEB`: the program, its completions and manual, licences and docs.
include(GNUInstallDirs)
set(name flare-languages)  # of the package: Debian has a `flare`, which is a game
# Packaging takes what is built, and does not build the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# The directory of Graphviz's plugins is not one where the loader looks.
set_target_properties(flare PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS flare)

# The program writes its completions and its manual.
set(written ${PROJECT_BINARY_DIR}/written)
file(MAKE_DIRECTORY ${written})
function(flare_writes file folder)
  add_custom_command(OUTPUT ${written}/${file} DEPENDS flare
    COMMAND sh -c "\"$0\" \"$@\" > ${written}/${file}" $<TARGET_FILE:flare> ${ARGN} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY flare_written ${written}/${file})
  install(FILES ${written}/${file} DESTINATION ${folder})
endfunction()
flare_writes(flare ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
flare_writes(_flare ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
flare_writes(flare.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
flare_writes(flare.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
get_property(files GLOBAL PROPERTY flare_written)
add_custom_target(flare_written ALL DEPENDS ${files})

# Licences: ours, and those of what becomes part of the program, by Debian's packages.
set(doc ${CMAKE_INSTALL_DATADIR}/doc/${name})
set(parts libcli11-dev nlohmann-json3-dev librandom123-dev libxsmm-dev libhwy-dev libfmt-dev
  libtomlplusplus-dev libsimdjson-dev libjs-chart.js)
if(FLARE_STATIC)
  list(APPEND parts ${FLARE_STATIC_PACKAGES})
  install(DIRECTORY /usr/share/common-licenses DESTINATION ${doc})
  install(FILES ${FLARE_STATIC}/SOURCES DESTINATION ${doc} RENAME SHA256SUMS.sources)
  flare_add_relink()
endif()
install(FILES LICENSE DESTINATION ${doc} RENAME copyright)
foreach(part ${parts})
  if(EXISTS /usr/share/doc/${part}/copyright)
    install(FILES /usr/share/doc/${part}/copyright DESTINATION ${doc}/licences RENAME ${part})
  else()
    message(STATUS "No licence for ${part}: it is not from a Debian package")
  endif()
endforeach()
install(FILES README.md DESTINATION ${doc})
install(DIRECTORY docs DESTINATION ${doc} FILES_MATCHING PATTERN "*.md")

set(CPACK_PACKAGE_NAME ${name})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The FLaRe++ authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Train neural networks as recognizers of formal languages")
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
