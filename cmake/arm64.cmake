# Toolchain for arm64 on another machine (docs/how-to/install.md): libraries and headers are those of
# FLARE_SYSROOT.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FLARE_SYSROOT)
set(CMAKE_SYSROOT ${FLARE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# Files, not libraries: this machine's.
set(CHART_JS /usr/share/javascript/chart.js/chart.min.js CACHE FILEPATH "")
