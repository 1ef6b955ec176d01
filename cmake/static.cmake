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

# The Python module for every Python in HEADERS (scripts/python-headers), linked against the C library
# there instead of this system's, and against all other libraries statically: one file that needs
# glibc 2.31. The C++ runtime is inside as well. Of the compiler's library only the unwinder is not,
# since a process must have one.
function(flare_add_modules headers)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=crtbeginS.o
    OUTPUT_VARIABLE crtbegin OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(gcc ${crtbegin} DIRECTORY)
  set(dev ${headers}/glibc/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  set(lib ${headers}/glibc/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cc)
  file(GLOB pythons ${headers}/python*)
  add_custom_target(flare_modules)
  foreach(python ${pythons})
    string(REGEX REPLACE ".*/python3[.]" "" minor ${python})
    set(module _flarelang_3${minor})
    add_library(${module} MODULE ${sources} ${PROJECT_SOURCE_DIR}/cmake/static/old_glibc.cc)
    set_target_properties(${module} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
      OUTPUT_NAME _flarelang.cpython-3${minor}-${CMAKE_LIBRARY_ARCHITECTURE}
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/modules)
    target_include_directories(${module} SYSTEM PRIVATE ${python}/usr/include/python3.${minor}
      ${python}/usr/include ${headers}/pybind11/usr/include)
    target_link_options(${module} PRIVATE -nostdlib LINKER:--exclude-libs,ALL
      ${dev}/crti.o ${crtbegin})
    target_link_libraries(${module} PRIVATE flare_experiments flare_report ${gcc}/libstdc++.a ${lib}/libm.so.6
      ${lib}/libpthread.so.0 ${lib}/libdl.so.2 ${lib}/libc.so.6 ${dev}/libc_nonshared.a
      ${lib}/ld-linux-x86-64.so.2 ${gcc}/libgcc.a ${lib}/libgcc_s.so.1 ${gcc}/crtendS.o
      ${dev}/crtn.o)
    add_dependencies(flare_modules ${module})
  endforeach()
endfunction()
