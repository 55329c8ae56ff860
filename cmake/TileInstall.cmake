# What `cmake --install` lays down beside the tools and libraries, which say so
# where they are defined: public headers, the CMake package and pkg-config files.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Everything names its neighbours relative to itself, so that an installed tree may
# be moved. The compiler's C++ headers are not installed: they follow MLIR's, and
# change with it.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${TILE_SOURCE_DIR}/include/tile-c
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
  PATTERN "Dialect.h" EXCLUDE PATTERN "Layout.h" EXCLUDE
  PATTERN "Analysis.h" EXCLUDE PATTERN "Tools.h" EXCLUDE) # for the Python package
install(DIRECTORY ${TILE_SOURCE_DIR}/include/tile/Runtime
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tile FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/MlirTile)
configure_package_config_file(
  ${TILE_SOURCE_DIR}/cmake/MlirTileConfig.cmake.in
  ${TILE_BINARY_DIR}/cmake/MlirTileConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interfaces.
write_basic_package_version_file(
  ${TILE_BINARY_DIR}/cmake/MlirTileConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT MlirTileTargets NAMESPACE MlirTile:: DESTINATION ${package_dir})
install(FILES
  ${TILE_BINARY_DIR}/cmake/MlirTileConfig.cmake
  ${TILE_BINARY_DIR}/cmake/MlirTileConfigVersion.cmake
  DESTINATION ${package_dir})

# tile_install_pkg_config(NAME DESCRIPTION): lib/pkgconfig/tile-NAME.pc of the
# library tile_NAME.
function(tile_install_pkg_config name description)
  set(pkg_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH prefix ${pkg_dir} ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH libdir ${pkg_dir} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH includedir ${pkg_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  configure_file(${TILE_SOURCE_DIR}/cmake/tile.pc.in
    ${TILE_BINARY_DIR}/cmake/tile-${name}.pc @ONLY)
  install(FILES ${TILE_BINARY_DIR}/cmake/tile-${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
tile_install_pkg_config(compiler "compiles tile IR for NVIDIA GPUs (C)")
tile_install_pkg_config(runtime "loads and launches what the tile compiler makes (C)")
