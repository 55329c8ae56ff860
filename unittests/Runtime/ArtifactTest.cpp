//===- ArtifactTest.cpp - The container, files and damaged input ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile/Runtime/Artifact.h"
#include "TestArtifacts.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

std::string bytesOf(const Artifact &artifact) {
  Result<std::string> bytes = artifact.serialize();
  EXPECT_TRUE(bytes.ok()) << bytes.message();
  return bytes ? *bytes : std::string();
}

/// Restores the checksum, so that a change reaches what lies behind it. Written
/// from docs/Artifact.md, not shared with the library.
void fixChecksum(std::string &bytes) {
  if (bytes.size() < 64)
    return;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (i < 24 || i >= 32)
      hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
  for (int i = 0; i < 8; ++i)
    bytes[24 + i] = char(hash >> (8 * i));
}

void expectError(const std::string &bytes, const std::string &part) {
  Result<Artifact> artifact = Artifact::parse(bytes);
  ASSERT_FALSE(artifact.ok()) << "expected: " << part;
  EXPECT_NE(artifact.message().find(part), std::string::npos)
      << artifact.message();
  EXPECT_EQ(artifact.message().find('\n'), std::string::npos);
}

/// A directory of the test's own, removed with what it holds.
class Directory {
public:
  Directory() {
    char name[] = "/tmp/tile-artifact-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Directory() {
    for (const std::string &name : files())
      ::unlink((path + "/" + name).c_str());
    ::rmdir(path.c_str());
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    DIR *directory = ::opendir(path.c_str());
    while (dirent *entry = ::readdir(directory))
      if (entry->d_name[0] != '.')
        names.push_back(entry->d_name);
    ::closedir(directory);
    return names;
  }
  std::string path;
};

TEST(Artifact, RoundTrips) {
  for (const Artifact &artifact : {scaleArtifact(), tensorMapArtifact()}) {
    std::string bytes = bytesOf(artifact);
    Result<Artifact> read = Artifact::parse(bytes);
    ASSERT_TRUE(read.ok()) << read.message();
    EXPECT_EQ(read->blobs, artifact.blobs);
    EXPECT_EQ(bytesOf(*read), bytes);
    // PTX goes to the driver as a C string.
    EXPECT_EQ(read->blobs[0].c_str()[read->blobs[0].size()], '\0');
  }
}

TEST(Artifact, HeaderIsAsDocumented) {
  std::string bytes = bytesOf(scaleArtifact());
  EXPECT_EQ(bytes.substr(0, 8), "\x8fTILE\r\n\x1a");
  EXPECT_EQ(bytes[8], 1);
  EXPECT_EQ(bytes[48], 2);
  // Two entries of 16 bytes follow the header of 64, then the manifest.
  EXPECT_EQ(bytes[64 + 32], '{');
  std::string again = bytes;
  fixChecksum(again);
  EXPECT_EQ(again, bytes);
}

TEST(Artifact, WriterRefusesWhatReaderWould) {
  Artifact artifact = scaleArtifact();
  artifact.blobs[1] = "not ELF";
  EXPECT_NE(artifact.serialize().message().find("blob 1"), std::string::npos);
  artifact = scaleArtifact();
  artifact.blobs[0] += '\0';
  EXPECT_NE(artifact.serialize().message().find("PTX"), std::string::npos);
  artifact = scaleArtifact();
  artifact.manifest.kernels[0].threads = 0;
  EXPECT_NE(artifact.serialize().message().find("threads"), std::string::npos);
}

TEST(Artifact, HeadersOfCubinsStayWithinThem) {
  auto refused = [](size_t at, uint64_t value, unsigned size) {
    Artifact artifact = scaleArtifact();
    setField(artifact.blobs[1], at, value, size);
    return artifact.serialize().message();
  };
  ASSERT_TRUE(scaleArtifact().serialize().ok());
  EXPECT_EQ(refused(18, 62, 2),
            "blob 1: expected a cubin to be an ELF file of 64 bits for CUDA");
  EXPECT_EQ(refused(40, 1 << 20, 8),
            "blob 1: expected a cubin of which the table of sections lies "
            "within its 264 bytes, got 128 bytes at 1048576");
  EXPECT_EQ(refused(144 + 24, 250, 8),
            "blob 1: expected a cubin of which section 1 lies within its 264 "
            "bytes, got 16 bytes at 250");
  EXPECT_EQ(refused(208 + 32, ~uint64_t(0), 8),
            "blob 1: expected a cubin of which segment 0 lies within its 264 "
            "bytes, got 18446744073709551615 bytes at 64");
  // Each field of a place or a size, as far beyond the file as it goes.
  for (size_t at : {32, 40, 144 + 24, 144 + 32, 208 + 8, 208 + 32})
    EXPECT_NE(refused(at, ~uint64_t(0), 8), "") << at;
  for (size_t at : {54, 56, 58, 60, 62})
    EXPECT_NE(refused(at, 0xffff, 2), "") << at;
  EXPECT_NE(refused(60, 0, 2), "") << "a table of no entries";
  // Memory of the device takes no room in the file.
  EXPECT_EQ(refused(144 + 4, 8, 4), "");
  Artifact artifact = scaleArtifact();
  artifact.blobs[1].resize(63);
  EXPECT_NE(artifact.serialize().message(), "");
}

TEST(Artifact, TruncationAndDamageAreErrors) {
  std::string bytes = bytesOf(scaleArtifact());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(Artifact::parse(bytes.data(), size).ok()) << size;
  expectError("", "does not begin");
  expectError("#!/bin/sh", "does not begin");
  expectError(bytes.substr(0, 20), "ends within its header");
  expectError(bytes.substr(0, 100), "bytes, got 100");
  expectError(bytes + "x", "bytes, got");
  std::string changed = bytes;
  changed.back() ^= 1;
  expectError(changed, "checksum");
}

TEST(Artifact, HeaderFieldsAreChecked) {
  std::string bytes = bytesOf(scaleArtifact());
  auto changed = [&](size_t at, char value) {
    std::string copy = bytes;
    copy[at] = value;
    fixChecksum(copy);
    return copy;
  };
  expectError(changed(8, 2), "container version 2, newer than version 1");
  expectError(changed(8, 0), "container version 0");
  expectError(changed(12, 1), "unknown flags");
  expectError(changed(39, 0x7f), "manifest lies outside");
  expectError(changed(47, 0x7f), "manifest lies outside");
  expectError(changed(51, 0x7f), "manifest lies outside");
  expectError(changed(55, 1), "reserved");
  expectError(changed(64 + 7, 0x7f), "blob 0 does not lie");
  expectError(changed(64 + 15, 0x7f), "blob 0 does not lie");
  expectError(changed(64 + 8, char(bytes[64 + 8] - 1)), "to be 0");
  expectError(changed(64 + 32, '['), "not well-formed JSON");
}

TEST(Artifact, NeverCrashesOnMutations) {
  std::mt19937 random(20240607);
  unsigned accepted = 0;
  for (const Artifact &artifact : {scaleArtifact(), tensorMapArtifact()}) {
    const std::string bytes = bytesOf(artifact);
    for (int round = 0; round < 20000; ++round) {
      std::string copy = bytes;
      for (unsigned edits = 1 + random() % 3; edits; --edits) {
        size_t at = random() % copy.size();
        switch (random() % 5) {
        case 0:
          copy[at] = char(random());
          break;
        case 1:
          copy[at] ^= char(1u << (random() % 8));
          break;
        case 2:
          copy[at] = "0123456789[]{},:\"-.n"[random() % 20];
          break;
        case 3:
          copy.erase(at, random() % 8);
          break;
        case 4:
          copy.insert(at, copy.substr(random() % copy.size(), random() % 32));
          break;
        }
        if (copy.empty())
          break;
      }
      // So that the sizes agree and the parts behind them are reached.
      if (copy.size() >= 64 && random() % 8) {
        for (int i = 0; i < 8; ++i)
          copy[16 + i] = char(uint64_t(copy.size()) >> (8 * i));
        int64_t grown = int64_t(copy.size()) - int64_t(bytes.size());
        if (grown && random() % 2)
          copy[40] = char(copy[40] + grown);
        fixChecksum(copy);
      }
      Result<Artifact> read = Artifact::parse(copy);
      if (!read) {
        EXPECT_FALSE(read.message().empty());
        continue;
      }
      // What is accepted is whole: it can be written and read again.
      ++accepted;
      Result<std::string> again = read->serialize();
      ASSERT_TRUE(again.ok()) << again.message();
      EXPECT_TRUE(Artifact::parse(*again).ok());
    }
  }
  // Some mutations are harmless, and some must get that far.
  EXPECT_GT(accepted, 100u);
}

TEST(Artifact, FilesAreReplacedAtomically) {
  Directory directory;
  std::string path = directory.path + "/gemm.tile";
  ASSERT_TRUE(scaleArtifact().writeFile(path).ok());
  ASSERT_TRUE(tensorMapArtifact().writeFile(path).ok());
  Result<Artifact> read = Artifact::readFile(path);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->manifest.kernels[0].name, "tma");
  // A refused artifact leaves the old file, and nothing beside it.
  Artifact bad = scaleArtifact();
  bad.blobs.pop_back();
  EXPECT_FALSE(bad.writeFile(path).ok());
  EXPECT_TRUE(Artifact::readFile(path).ok());
  EXPECT_EQ(directory.files().size(), 1u);
}

TEST(Artifact, FileErrorsNameTheFile) {
  Result<Artifact> missing = Artifact::readFile("/nonexistent/gemm.tile");
  EXPECT_EQ(missing.message(),
            "cannot read '/nonexistent/gemm.tile': No such file or directory");
  EXPECT_NE(Artifact::readFile("/").message().find("cannot read '/'"),
            std::string::npos);
  Status status = scaleArtifact().writeFile("/nonexistent/gemm.tile");
  EXPECT_EQ(status.message(), "cannot write '/nonexistent/gemm.tile': No such "
                              "file or directory");
  // Devices are written to, not replaced.
  EXPECT_TRUE(scaleArtifact().writeFile("/dev/null").ok());
  struct stat info;
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

} // namespace
