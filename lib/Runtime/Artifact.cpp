//===- Artifact.cpp - The artifact's container ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes to struct and back, and files. Every offset and size is checked against
// the file before it is used; the sum of them must be the file, so that
// nothing unexplained hides in one. The manifest's meaning is left to
// Manifest.cpp.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Artifact.h"

#include "CubinCheck.h"
#include "LittleEndian.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::tile::runtime;

/// The first byte is no text, the line ends show a transfer in text mode, and
/// the control-Z stops a terminal.
constexpr unsigned char kMagic[8] = {0x8f, 'T',  'I',  'L',
                                     'E',  '\r', '\n', 0x1a};

constexpr size_t kHeaderSize = 64;
constexpr size_t kBlobEntrySize = 16;
constexpr size_t kBlobAlign = 64;
constexpr uint32_t kMaxBlobs = 65536;

/// Offsets of the header's fields.
constexpr size_t kVersionAt = 8;
constexpr size_t kFlagsAt = 12;
constexpr size_t kFileSizeAt = 16;
constexpr size_t kChecksumAt = 24;
constexpr size_t kManifestAt = 32;
constexpr size_t kManifestSizeAt = 40;
constexpr size_t kNumBlobsAt = 48;
constexpr size_t kReservedAt = 52;

/// Fields are little-endian whatever the machine.
static void store(std::string &bytes, size_t at, uint64_t value,
                  unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    bytes[at + i] = char((value >> (8 * i)) & 0xff);
}

/// FNV-1a over 64 bits of everything but the checksum itself. It finds damage,
/// not malice: an artifact is as trusted as a program is.
static uint64_t checksum(const char *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  auto update = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
  };
  update(0, kChecksumAt);
  update(kChecksumAt + 8, size);
  return hash;
}

static size_t alignUp(size_t value, size_t align) {
  return (value + align - 1) / align * align;
}

static Error damaged(const std::string &what) {
  return Error{"not a valid artifact: " + what};
}

/// Whether blobs are what their code entries say, as far as their headers
/// tell; the driver judges the rest.
static Status verifyBlobs(const Artifact &artifact) {
  for (const KernelSpec &kernel : artifact.manifest.kernels)
    for (const CodeSpec &code : kernel.code) {
      const std::string &blob = artifact.blobs[code.blob];
      std::string name = "blob " + std::to_string(code.blob);
      if (code.format == CodeFormat::Cubin) {
        if (Status status = checkCubin(blob); !status.ok())
          return Error{name + ": " + status.message()};
      } else if (blob.find('\0') != std::string::npos ||
                 blob.find(".version") == std::string::npos) {
        return Error{name + ": expected PTX text with a version"};
      }
    }
  return Status();
}

static std::string systemError(const std::string &what,
                               const std::string &path) {
  return "cannot " + what + " '" + path + "': " + std::strerror(errno);
}

static bool writeAll(int file, const std::string &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += size_t(count);
  }
  return true;
}

/// Writes to an open file and closes it; `file` is -1 where opening failed.
static Status finishFile(int file, const std::string &bytes,
                         const std::string &path) {
  if (file < 0)
    return Error{systemError("write", path)};
  Status status;
  if (!writeAll(file, bytes))
    status = Error{systemError("write", path)};
  if (::close(file) != 0 && status.ok())
    status = Error{systemError("write", path)};
  return status;
}

Result<std::string> Artifact::serialize() const {
  if (blobs.size() > kMaxBlobs)
    return Error{"expected at most 65536 blobs"};
  if (Status status = verifyManifest(manifest, blobs.size()); !status.ok())
    return Error{"manifest: " + status.message()};
  if (Status status = verifyBlobs(*this); !status.ok())
    return status.takeError();

  std::string text = serializeManifest(manifest);
  size_t manifestAt = kHeaderSize + kBlobEntrySize * blobs.size();
  std::string bytes(manifestAt, '\0');
  std::memcpy(&bytes[0], kMagic, sizeof(kMagic));
  bytes += text;
  for (size_t i = 0; i < blobs.size(); ++i) {
    bytes.resize(alignUp(bytes.size(), kBlobAlign), '\0');
    size_t entry = kHeaderSize + kBlobEntrySize * i;
    store(bytes, entry, bytes.size(), 8);
    store(bytes, entry + 8, blobs[i].size(), 8);
    bytes += blobs[i];
  }
  store(bytes, kVersionAt, kContainerVersion, 4);
  store(bytes, kFlagsAt, 0, 4);
  store(bytes, kFileSizeAt, bytes.size(), 8);
  store(bytes, kManifestAt, manifestAt, 8);
  store(bytes, kManifestSizeAt, text.size(), 8);
  store(bytes, kNumBlobsAt, blobs.size(), 4);
  store(bytes, kChecksumAt, checksum(bytes.data(), bytes.size()), 8);
  return bytes;
}

Result<Artifact> Artifact::parse(const char *bytes, size_t size) {
  if (size < sizeof(kMagic) || std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0)
    return damaged("it does not begin as one");
  if (size < kHeaderSize)
    return damaged("it ends within its header");
  // The version comes first: a newer container may differ in all that follows.
  uint64_t version = fetch(bytes, kVersionAt, 4);
  if (version > kContainerVersion)
    return Error{"the artifact has container version " +
                 std::to_string(version) + ", newer than version " +
                 std::to_string(kContainerVersion) +
                 " that this program reads: update mlir-tile"};
  if (version == 0)
    return damaged("container version 0");
  uint64_t fileSize = fetch(bytes, kFileSizeAt, 8);
  if (fileSize != size)
    return damaged("expected " + std::to_string(fileSize) + " bytes, got " +
                   std::to_string(size));
  if (fetch(bytes, kChecksumAt, 8) != checksum(bytes, size))
    return damaged("its checksum does not match its bytes");
  if (fetch(bytes, kFlagsAt, 4) != 0)
    return damaged("unknown flags");
  for (size_t i = kReservedAt; i < kHeaderSize; ++i)
    if (bytes[i] != 0)
      return damaged("expected the reserved bytes of the header to be 0");

  uint64_t numBlobs = fetch(bytes, kNumBlobsAt, 4);
  uint64_t manifestAt = fetch(bytes, kManifestAt, 8);
  uint64_t manifestSize = fetch(bytes, kManifestSizeAt, 8);
  if (numBlobs > kMaxBlobs ||
      manifestAt != kHeaderSize + kBlobEntrySize * numBlobs ||
      manifestAt > size || manifestSize > size - manifestAt)
    return damaged("the manifest lies outside the file");

  Artifact artifact;
  size_t end = manifestAt + manifestSize;
  for (uint64_t i = 0; i < numBlobs; ++i) {
    size_t entry = kHeaderSize + kBlobEntrySize * i;
    uint64_t blobAt = fetch(bytes, entry, 8);
    uint64_t blobSize = fetch(bytes, entry + 8, 8);
    std::string name = "blob " + std::to_string(i);
    if (blobAt != alignUp(end, kBlobAlign) || blobAt > size ||
        blobSize > size - blobAt)
      return damaged(name + " does not lie where it should");
    for (size_t j = end; j < blobAt; ++j)
      if (bytes[j] != 0)
        return damaged("expected the bytes before " + name + " to be 0");
    artifact.blobs.emplace_back(bytes + blobAt, blobSize);
    end = blobAt + blobSize;
  }
  if (end != size)
    return damaged("bytes after its last part");

  Result<Manifest> manifest =
      parseManifest(std::string(bytes + manifestAt, manifestSize), numBlobs);
  if (!manifest)
    return manifest.error();
  artifact.manifest = std::move(*manifest);
  if (Status status = verifyBlobs(artifact); !status.ok())
    return damaged(status.message());
  return artifact;
}

Status Artifact::writeFile(const std::string &path) const {
  Result<std::string> bytes = serialize();
  if (!bytes)
    return bytes.error();
  // A device or a pipe is written to; renaming a file over it would destroy it.
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return finishFile(file, *bytes, path);
  }
  // Beside the target, because a rename is atomic only within a file system.
  std::string temporary;
  int file = -1;
  for (unsigned attempt = 0; attempt < 100 && file < 0; ++attempt) {
    temporary = path + ".tmp" + std::to_string(::getpid()) + "-" +
                std::to_string(attempt);
    file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  0666);
    if (file < 0 && errno != EEXIST)
      break;
  }
  if (file < 0)
    return Error{systemError("write", path)};
  Status status = finishFile(file, *bytes, path);
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = Error{systemError("write", path)};
  if (!status.ok())
    ::unlink(temporary.c_str());
  return status;
}

Result<Artifact> Artifact::readFile(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return Error{systemError("read", path)};
  // The size of stat is not used: a pipe has none, and a file may change.
  std::string bytes;
  ssize_t count = 0;
  do {
    char chunk[1 << 16];
    count = ::read(file, chunk, sizeof(chunk));
    if (count > 0)
      bytes.append(chunk, size_t(count));
    // What is no artifact, or longer than it says, is not read to its end.
    bool isAll = bytes.size() >= kHeaderSize &&
                 (std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0 ||
                  bytes.size() > fetch(bytes.data(), kFileSizeAt, 8));
    if (isAll)
      break;
  } while (count > 0 || (count < 0 && errno == EINTR));
  Error failure{count < 0 ? systemError("read", path) : std::string()};
  ::close(file);
  if (!failure.message.empty())
    return failure;
  Result<Artifact> artifact = parse(bytes);
  if (!artifact)
    return Error{"'" + path + "': " + artifact.message()};
  return artifact;
}
