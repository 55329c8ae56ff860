//===- CubinCheck.cpp - Bounds of a cubin's headers -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets and values are those of the ELF-64 object file format (System V ABI,
// chapter 4); a cubin is one, little-endian, for machine 190.
//
//===----------------------------------------------------------------------===//

#include "CubinCheck.h"
#include "LittleEndian.h"

#include <cstring>

using namespace mlir::tile::runtime;

namespace {
constexpr char kIdent[] = {'\x7f',
                           'E',
                           'L',
                           'F',
                           /*64 bits*/ 2,
                           /*little-endian*/ 1,
                           /*version*/ 1};
constexpr uint64_t kMachineCuda = 190;
constexpr size_t kHeaderSize = 64;
constexpr size_t kSectionSize = 64;
constexpr size_t kSegmentSize = 56;

/// Types of sections without bytes in the file: none, those of plain ELF, and
/// the driver's for global, local and shared memory.
constexpr uint64_t kEmptyTypes[] = {0,          8,          0x70000007,
                                    0x70000009, 0x7000000a, 0x70000015};

/// A table in the file, or what one entry of it refers to.
struct Range {
  uint64_t offset, size;
  bool isWithin(uint64_t file) const {
    return offset <= file && size <= file - offset;
  }
};
} // namespace

static Error outside(const std::string &what, Range range, uint64_t size) {
  return Error{"expected a cubin of which " + what + " lies within its " +
               std::to_string(size) + " bytes, got " +
               std::to_string(range.size) + " bytes at " +
               std::to_string(range.offset)};
}

Status mlir::tile::runtime::checkCubin(const std::string &bytes) {
  const char *data = bytes.data();
  uint64_t size = bytes.size();
  if (size < kHeaderSize || std::memcmp(data, kIdent, sizeof(kIdent)) != 0 ||
      fetch(data, 18, 2) != kMachineCuda)
    return Error{"expected a cubin to be an ELF file of 64 bits for CUDA"};

  auto table = [&](size_t offsetAt, size_t entryAt, size_t entrySize,
                   const char *name, Range &found) -> Status {
    uint64_t count = fetch(data, entryAt + 2, 2);
    found = {fetch(data, offsetAt, 8), count * entrySize};
    if (count && fetch(data, entryAt, 2) != entrySize)
      return Error{std::string("expected a cubin with ") + name +
                   " headers of " + std::to_string(entrySize) + " bytes"};
    if (!found.isWithin(size))
      return outside(std::string("the table of ") + name + "s", found, size);
    return Status();
  };
  Range sections, segments;
  if (Status status = table(40, 58, kSectionSize, "section", sections);
      !status.ok())
    return status;
  if (Status status = table(32, 54, kSegmentSize, "segment", segments);
      !status.ok())
    return status;

  // The count of more than 65279 sections stands elsewhere.
  if (!sections.size && sections.offset)
    return Error{"expected a cubin that says how many sections it has"};

  for (uint64_t i = 0; i * kSectionSize < sections.size; ++i) {
    const char *section = data + sections.offset + i * kSectionSize;
    uint64_t type = fetch(section, 4, 4);
    bool isEmpty = false;
    for (uint64_t empty : kEmptyTypes)
      isEmpty |= type == empty;
    Range contents = {fetch(section, 24, 8), fetch(section, 32, 8)};
    if (!isEmpty && !contents.isWithin(size))
      return outside("section " + std::to_string(i), contents, size);
  }
  for (uint64_t i = 0; i * kSegmentSize < segments.size; ++i) {
    const char *segment = data + segments.offset + i * kSegmentSize;
    Range contents = {fetch(segment, 8, 8), fetch(segment, 32, 8)};
    if (!contents.isWithin(size))
      return outside("segment " + std::to_string(i), contents, size);
  }
  uint64_t count = sections.size / kSectionSize;
  if (uint64_t names = fetch(data, 62, 2); names && names >= count)
    return Error{"expected a cubin whose names are in one of its " +
                 std::to_string(count) + " sections, got section " +
                 std::to_string(names)};
  return Status();
}
