# How mlir-tile's libraries and tools are compiled and linked.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Own libraries are plain static archives; LLVM and MLIR are linked once, at the
# executables: either every static archive as one group (TILE_STATIC), or the
# two dynamic libraries. Debian's imported targets mix both, which registers each
# command line option twice and aborts at start.

include(GNUInstallDirs)
separate_arguments(TILE_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

function(tile_compile_settings target)
  target_compile_definitions(${target} PRIVATE ${TILE_LLVM_DEFINITIONS})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions> -ffunction-sections -fdata-sections)
  if(TILE_ASSERTIONS)
    target_compile_options(${target} PRIVATE -UNDEBUG)
    if(NOT LLVM_ENABLE_ASSERTIONS)
      target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${TILE_SOURCE_DIR}/cmake/Assertions.h>)
    endif()
  endif()
endfunction()

# tile_precompile_headers(TARGET): the headers of MLIR and of the dialect's operations are parsed once for
# all targets that ask for it. They are most of the time of most files (measured: 15.4 s of one file become
# 4.0 with MLIR's). Of our own only TileOps.h is in it: what it includes is generated from the dialect's
# definitions, and nearly every file has it anyway.
function(tile_precompile_headers target)
  if(NOT TILE_PRECOMPILED_HEADERS)
    return()
  endif()
  if(NOT TARGET TilePrecompiled)
    add_library(TilePrecompiled STATIC ${TILE_SOURCE_DIR}/cmake/Precompiled.cpp)
    tile_compile_settings(TilePrecompiled)
    target_precompile_headers(TilePrecompiled PRIVATE ${TILE_SOURCE_DIR}/cmake/Precompiled.h)
    # The time of the header's making would keep ccache from finding it again.
    target_compile_options(TilePrecompiled PRIVATE -Xclang -fno-pch-timestamp)
    add_dependencies(TilePrecompiled TileTableGen)
  endif()
  target_precompile_headers(${target} REUSE_FROM TilePrecompiled)
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
  # Programs have to be compiled as the libraries are (-fPIC, not -fPIE) to share the header with them.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# tile_add_library(NAME sources... [DEPENDS targets...] [LINK own libraries...])
function(tile_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tile_compile_settings(${name})
  tile_precompile_headers(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  add_dependencies(${name} TileTableGen ${ARG_DEPENDS})
endfunction()

if(TILE_STATIC)
  file(GLOB TILE_MLIR_ARCHIVES ${LLVM_LIBRARY_DIRS}/libMLIR*.a)
  list(FILTER TILE_MLIR_ARCHIVES EXCLUDE REGEX "Test|MLIRMlirOptMain|SPIRV|ToEmitC|ROCDL|AMDGPU|ArmS|AMX|XeVM|XeGPU")
  file(GLOB TILE_LLVM_ARCHIVES ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
  list(FILTER TILE_LLVM_ARCHIVES EXCLUDE REGEX
    "libLLVM(AArch64|AMDGPU|ARM|AVR|BPF|Hexagon|Lanai|LoongArch|Mips|MSP430|PowerPC|RISCV|Sparc|SPIRV|SystemZ|VE|WebAssembly|XCore|M68k|Xtensa|ARC|CSKY|DirectX|Exegesis|LTO\\.)|Test|Fuzzer")
  find_library(TILE_ZSTD zstd REQUIRED)
  find_library(TILE_Z z REQUIRED)
  set(TILE_LLVM_LIBS -Wl,--start-group ${TILE_MLIR_ARCHIVES} ${TILE_LLVM_ARCHIVES} -Wl,--end-group
      ${TILE_ZSTD} ${TILE_Z} dl pthread m)
  set(TILE_SHARED_LINK_OPTIONS -fuse-ld=lld -Wl,-O2 -Wl,--gc-sections -Wl,--icf=all -static-libstdc++)
  # Packed relocations take 2 MB off a tool, and are applied faster (glibc 2.36 on).
  set(TILE_LINK_OPTIONS ${TILE_SHARED_LINK_OPTIONS} -Wl,-z,pack-relative-relocs -static-libgcc)
  # Libraries go into wheels (manylinux_2_34): they take glibc 2.34 and libgcc_s from the system,
  # and nothing else. zstd and z are not among what a wheel may take, and LLVM calls arc4random,
  # which glibc has since 2.36.
  find_library(TILE_STATIC_ZSTD libzstd.a REQUIRED)
  find_library(TILE_STATIC_Z libz.a REQUIRED)
  add_library(TileOlderGlibc STATIC ${TILE_SOURCE_DIR}/cmake/OlderGlibc.c)
  set(TILE_SHARED_LLVM_LIBS -Wl,--start-group ${TILE_MLIR_ARCHIVES} ${TILE_LLVM_ARCHIVES} -Wl,--end-group
      ${TILE_STATIC_ZSTD} ${TILE_STATIC_Z} TileOlderGlibc dl pthread m)
else()
  set(TILE_LLVM_LIBS MLIR LLVM dl pthread)
  set(TILE_LINK_OPTIONS -fuse-ld=lld -Wl,--gc-sections)
  set(TILE_SHARED_LLVM_LIBS ${TILE_LLVM_LIBS})
  set(TILE_SHARED_LINK_OPTIONS ${TILE_LINK_OPTIONS})
endif()

# tile_add_executable(NAME sources... LINK own libraries...): links LLVM as configured.
function(tile_add_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tile_compile_settings(${name})
  add_dependencies(${name} TileTableGen)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${TILE_LLVM_LIBS})
  target_link_options(${name} PRIVATE ${TILE_LINK_OPTIONS})
endfunction()

# tile_add_tool(NAME MAIN sources... LINK own libraries...): a tool of the distribution, whose
# function MAIN (tools/Tools.h) is in `sources`. The program lies in bin/, stripped in Release; the
# objects are NAME-objects, for a library that has all the tools in it.
function(tile_add_tool name main)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name}-objects OBJECT ${ARG_UNPARSED_ARGUMENTS})
  tile_compile_settings(${name}-objects)
  tile_precompile_headers(${name}-objects)
  add_dependencies(${name}-objects TileTableGen)
  target_link_libraries(${name}-objects PUBLIC ${ARG_LINK})
  tile_add_executable(${name} ${TILE_SOURCE_DIR}/tools/ToolMain.cpp $<TARGET_OBJECTS:${name}-objects>
    LINK ${ARG_LINK})
  target_compile_definitions(${name} PRIVATE TILE_TOOL_MAIN=${main})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${TILE_BINARY_DIR}/bin)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${name} PRIVATE $<$<NOT:$<BOOL:${TILE_ASSERTIONS}>>:-Wl,-s>)
  endif()
  install(TARGETS ${name} EXPORT MlirTileTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# A shared library of the distribution: lies in lib/, exports the C interface
# only (tileCompile, ...), stripped in Release.
function(tile_install_library name)
  set(exports ${TILE_SOURCE_DIR}/cmake/CInterface.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports} $<$<BOOL:${TILE_STATIC}>:-Wl,-z,defs>)
  set_target_properties(${name} PROPERTIES
    LINK_DEPENDS ${exports}
    LIBRARY_OUTPUT_DIRECTORY ${TILE_BINARY_DIR}/lib)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${name} PRIVATE $<$<NOT:$<BOOL:${TILE_ASSERTIONS}>>:-Wl,-s>)
  endif()
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${TILE_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT MlirTileTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
