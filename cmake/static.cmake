# Everything in one file, for FLARE_STATIC: a directory with the libraries that
# scripts/static-libraries makes; the others are Debian's. Headers and flags stay what they are, so
# every file of ours compiles to what it compiles to for the usual program.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
list(PREPEND CMAKE_LIBRARY_PATH ${FLARE_STATIC})

# Those of Debian's packages whose code is in the program only then: scripts/dist says where their
# sources are, and their licences are installed.
set(FLARE_STATIC_PACKAGES libc6-dev libstdc++-12-dev libgmp-dev libssl-dev liblinear-dev libblas-dev
  libgraphviz-dev zlib1g-dev libexpat1-dev)

# Lets an imported target stand for its static library.
function(flare_make_static target library)
  find_library(STATIC_${library} ${library} REQUIRED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${STATIC_${library}})
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration ${configurations})
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION_${configuration} ${STATIC_${library}})
  endforeach()
endfunction()

# To be called when all libraries have been found: adds those that shared ones bring themselves.
macro(flare_link_statically)
  flare_make_static(fmt::fmt fmt)
  flare_make_static(hwy::hwy hwy)
  flare_make_static(simdjson::simdjson simdjson)
  flare_make_static(tomlplusplus::tomlplusplus tomlplusplus)
  foreach(library pathplan cdt blas z expat)
    find_library(STATIC_${library} ${library} REQUIRED)
  endforeach()
  list(APPEND GRAPHVIZ_LIBRARIES ${STATIC_pathplan} ${CGRAPH_LIBRARY} ${STATIC_cdt}
    ${STATIC_z} ${STATIC_expat})
  list(APPEND LIBLINEAR_LIBRARY ${STATIC_blas})
endmacro()

# The LGPL lets whoever has the program link it with another GMP or C library: all the rest of it as one
# object, in relink/ with the command that does so.
function(flare_add_relink)
  get_property(rooms GLOBAL PROPERTY flare_rooms)
  list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  set(relink ${PROJECT_BINARY_DIR}/relink)
  file(MAKE_DIRECTORY ${relink})
  add_custom_command(OUTPUT ${relink}/flare.o DEPENDS flare
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o ${relink}/flare.o $<TARGET_OBJECTS:flare>
      -Wl,--start-group ${rooms} ${STATIC_hwy} ${STATIC_fmt} ${STATIC_simdjson}
      ${STATIC_tomlplusplus} ${XSMM_LIBRARY} ${XSMMNOBLAS_LIBRARY} ${OPENSSL_CRYPTO_LIBRARY}
      ${LIBLINEAR_LIBRARY} ${GRAPHVIZ_LIBRARIES} -Wl,--end-group
    COMMAND ${CMAKE_STRIP} --strip-debug ${relink}/flare.o
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(flare_relink DEPENDS ${relink}/flare.o)
  install(FILES ${relink}/flare.o DESTINATION relink)
  install(PROGRAMS cmake/static/relink DESTINATION relink)
endfunction()
