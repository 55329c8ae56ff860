//===- ManifestTest.cpp - The manifest's rules and its JSON ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile/Runtime/Manifest.h"
#include "TestArtifacts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

/// The error after a change to a valid kernel; empty where it stays valid.
std::string errorAfter(const std::function<void(KernelSpec &)> &change) {
  Artifact artifact = tensorMapArtifact();
  change(artifact.manifest.kernels[0]);
  return verifyManifest(artifact.manifest, artifact.blobs.size()).message();
}

/// The error after a textual change to a valid manifest's JSON.
std::string errorOfText(const std::string &from, const std::string &to) {
  Artifact artifact = tensorMapArtifact();
  std::string text = serializeManifest(artifact.manifest);
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
  if (at != std::string::npos)
    text.replace(at, from.size(), to);
  return parseManifest(text, artifact.blobs.size()).message();
}

void expectHas(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos)
      << "expected '" << part << "' in '" << text << "'";
}

TEST(Manifest, RoundTrips) {
  for (const Artifact &artifact : {scaleArtifact(), tensorMapArtifact()}) {
    std::string text = serializeManifest(artifact.manifest);
    Result<Manifest> read = parseManifest(text, artifact.blobs.size());
    ASSERT_TRUE(read.ok()) << read.message();
    EXPECT_EQ(serializeManifest(*read), text);
    const KernelSpec &kernel = read->kernels[0];
    EXPECT_EQ(kernel.args[0].shape[0], kDynamic);
    EXPECT_EQ(kernel.grid[0], ceilDiv(Expr::dim(1, 1), 128));
    EXPECT_EQ(kernel.args[1].access, Access::Write);
    EXPECT_EQ(read->find("none"), nullptr);
    EXPECT_EQ(read->find(kernel.name), &kernel);
  }
}

TEST(Manifest, EveryElementTypeRoundTrips) {
  for (unsigned i = 0; i < kNumElementTypes; ++i) {
    ElementType type = ElementType(i), back = ElementType::I1;
    ASSERT_TRUE(parseElementType(spelling(type), back));
    EXPECT_EQ(back, type);
    EXPECT_TRUE(accepts(type, type));
  }
  ElementType type;
  EXPECT_FALSE(parseElementType("f17", type));
  EXPECT_TRUE(accepts(ElementType::I8, ElementType::UI8));
  EXPECT_FALSE(accepts(ElementType::UI8, ElementType::I8));
  EXPECT_TRUE(accepts(ElementType::TF32, ElementType::F32));
  EXPECT_FALSE(accepts(ElementType::F16, ElementType::BF16));
}

TEST(Manifest, Architectures) {
  ArchName arch;
  ASSERT_TRUE(parseArch("sm_90a", arch));
  EXPECT_EQ(arch.major * 100 + arch.minor, 900);
  EXPECT_EQ(arch.suffix, 'a');
  ASSERT_TRUE(parseArch("sm_121", arch));
  EXPECT_EQ(arch.major * 100 + arch.minor, 1201);
  EXPECT_EQ(arch.suffix, 0);
  for (const char *bad : {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "sm_09",
                          "compute_90", "sm_12345", "sm_-90", "gfx90a"})
    EXPECT_FALSE(parseArch(bad, arch)) << bad;
}

TEST(Manifest, RulesAreChecked) {
  using K = KernelSpec;
  EXPECT_EQ(errorAfter([](K &) {}), "");
  expectHas(errorAfter([](K &k) { k.name = "a b"; }), "identifier");
  expectHas(errorAfter([](K &k) { k.args[1].name = "A"; }), "name of its own");
  expectHas(errorAfter([](K &k) { k.args[0].strides.pop_back(); }),
            "argument 0: expected as many strides as extents");
  expectHas(errorAfter([](K &k) { k.args[0].shape[1] = -1; }), "0 or more");
  expectHas(errorAfter([](K &k) { k.args[0].alignment = 12; }), "power of two");
  expectHas(errorAfter([](K &k) { k.args[2].shape = {1}; }),
            "argument 2: expected a scalar");
  expectHas(errorAfter([](K &k) {
              std::vector<int64_t> dims(16, 1);
              for (int i = 0; i < 32; ++i)
                k.args.push_back(memref(("x" + std::to_string(i)).c_str(),
                                        ElementType::F32, dims, dims,
                                        Access::Read));
            }),
            "512 dimensions in all arguments, got 516");
  expectHas(errorAfter([](K &k) { k.params[1].dim = 2; }),
            "parameter 1: expected a dimension");
  expectHas(errorAfter([](K &k) { k.params[1].type = ElementType::F32; }),
            "i32 or i64");
  expectHas(errorAfter([](K &k) { k.params[3].arg = 2; }),
            "parameter 3: expected the argument to be a memref");
  expectHas(errorAfter([](K &k) { k.params[5].type = ElementType::F64; }),
            "parameter 5: expected the type of the argument");
  expectHas(errorAfter([](K &k) { k.params[0].arg = 1; }),
            "index of a tensor map");
  expectHas(
      errorAfter([](K &k) { k.params.assign(33, ParamSpec::tensorMap(0)); }),
      "4096 bytes of parameters, got 4224");
  expectHas(errorAfter([](K &k) { k.grid[2] = Expr::scalar(2); }),
            "grid extent 2: expected an integer scalar");
  expectHas(errorAfter([](K &k) { k.grid[0] = Expr::dim(4, 0); }),
            "grid extent 0");
  expectHas(errorAfter([](K &k) {
              for (int i = 0; i < 100; ++i)
                k.grid[0] = k.grid[0] + Expr::dim(1, 0);
            }),
            "64 deep");
  expectHas(errorAfter([](K &k) { k.threads = 1025; }), "threads");
  expectHas(errorAfter([](K &k) { k.cluster = {8, 4, 1}; }), "16 blocks");
  expectHas(errorAfter([](K &k) { k.sharedBytes = -1; }), "shared bytes");
  expectHas(errorAfter([](K &k) { k.versions = {k}; }), "a name of its own");
  expectHas(errorAfter([](K &k) {
              k.versions = {k};
              k.versions[0].name = "other";
              k.versions[0].args[0].type = ElementType::BF16;
            }),
            "version 0: expected the kernel's arguments");
  expectHas(errorAfter([](K &k) {
              k.versions = {k};
              k.versions[0].name = "other";
              k.versions[0].threads = 0;
            }),
            "version 0: kernel 'other': threads");
  expectHas(errorAfter([](K &k) {
              k.versions = {k};
              k.versions[0].name = "other";
              k.versions[0].versions = {k};
            }),
            "version 0: expected no versions of its own");
  expectHas(errorAfter([](K &k) { k.persistent = 33; }),
            "persistent: expected 0 to 32");
  auto cooperativeWith = [](void (*change)(K &)) {
    return errorAfter([&](K &k) {
      k.cooperative = true;
      k.cluster = {1, 1, 1};
      k.persistent = 0;
      change(k);
    });
  };
  EXPECT_EQ(cooperativeWith([](K &) {}), "");
  expectHas(cooperativeWith([](K &k) { k.persistent = 1; }),
            "cooperative: expected neither clusters nor a persistent kernel");
  expectHas(cooperativeWith([](K &k) { k.cluster[0] = 2; }), "cooperative");
  expectHas(errorAfter([](K &k) { k.assumptions[0].message = ""; }),
            "assumption 0");
  expectHas(errorAfter([](K &k) { k.tensorMaps[0].box[0] = 128; }),
            "tensor map 0: expected the innermost box extent to fit");
  // Of convolutions, corners in place of a box.
  auto im2colError = [&](const Im2colSpec &im2col) {
    return errorAfter([&](K &k) {
      TensorMapSpec &map = k.tensorMaps[0];
      map.dims = {64, 8, 8, 2};
      map.strides = {128, 1024, 8192};
      map.elementStrides = {1, 2, 2, 1};
      map.box.clear();
      map.im2col = im2col;
    });
  };
  EXPECT_EQ(im2colError({{-1, -1}, {-1, -1}, 64, 128}), "");
  expectHas(im2colError({{-1}, {-1}, 64, 128}),
            "expected a rank of 3 to 5 and corners of two dimensions less");
  expectHas(im2colError({{-1, -129}, {-1, -1}, 64, 128}),
            "expected corners from -128 to 127");
  expectHas(im2colError({{-1, -1}, {-1, -1}, 64, 1025}),
            "expected 1 to 256 channels and 1 to 1024 pixels");
  expectHas(im2colError({{-1, -1}, {-1, -1}, 128, 128}),
            "expected the innermost box extent to fit");
  expectHas(errorAfter([](K &k) { k.tensorMaps[0].box[0] = 12; }),
            "multiple of 16 bytes");
  expectHas(errorAfter([](K &k) { k.tensorMaps[0].strides.clear(); }),
            "one stride less");
  expectHas(errorAfter([](K &k) { k.code[0].arch = "gfx9"; }), "architecture");
  expectHas(errorAfter([](K &k) { k.code[0].blob = 2; }), "index of a blob");
  expectHas(errorAfter([](K &k) { k.code[0].blob = 1; }), "one format");
  expectHas(errorAfter([](K &k) { k.code.pop_back(); }),
            "blob 1: expected a code entry that uses it");
  expectHas(errorAfter([](K &k) { k.code.clear(); }), "at least one target");
  expectHas(errorAfter([](K &k) { k.code[1] = k.code[0]; }),
            "one entry per architecture and format");
}

TEST(Manifest, MalformedJsonIsOneError) {
  expectHas(errorOfText("{", "["), "not well-formed JSON");
  expectHas(errorOfText("\"threads\"", "\"treads\""),
            "kernel 0: expected the field 'threads'");
  expectHas(errorOfText("\"threads\": 128", "\"threads\": 128, \"x\": 1"),
            "kernel 0: unknown field 'x'");
  expectHas(errorOfText("\"threads\": 128", "\"threads\": 1, \"threads\": 2"),
            "repeats the field 'threads'");
  expectHas(errorOfText("\"threads\": 128", "\"threads\": 1e2"),
            "to be an integer");
  expectHas(errorOfText("\"threads\": 128", "\"threads\": \"128\""),
            "to be an integer");
  expectHas(
      errorOfText("\"threads\": 128", "\"threads\": 99999999999999999999"),
      "to be an integer");
  expectHas(errorOfText("\"type\": \"f16\"", "\"type\": \"f17\""),
            "kernel 0: argument 0: unknown element type 'f17'");
  expectHas(errorOfText("\"kind\": \"memref\"", "\"kind\": \"tensor\""),
            "one of memref, scalar, got 'tensor'");
  expectHas(errorOfText("\"kernels\": [", "\"kernels\": [3,"),
            "kernel 0: expected an object");
  expectHas(errorOfText("\"ceildiv\"", "\"sqrt\""), "unknown operation 'sqrt'");
  expectHas(errorOfText("\"ceildiv\"", "7"), "expected an expression");
  expectHas(errorOfText("\"may_alias\": false", "\"may_alias\": 0"),
            "true or false");
  expectHas(errorOfText("null", "-9223372036854775808"), "integers or null");
  std::string deep(100000, '[');
  expectHas(parseManifest(deep + std::string(100000, ']'), 0).message(),
            "nests deeper");
}

TEST(Manifest, DocumentedExample) {
  std::ifstream file(TILE_ARTIFACT_DOC);
  std::stringstream text;
  text << file.rdbuf();
  size_t begin = text.str().find("```json");
  ASSERT_NE(begin, std::string::npos) << TILE_ARTIFACT_DOC;
  begin += 7;
  size_t end = text.str().find("```", begin);
  Result<Manifest> manifest =
      parseManifest(text.str().substr(begin, end - begin), 1);
  ASSERT_TRUE(manifest.ok()) << manifest.message();
  EXPECT_EQ(manifest->kernels[0].grid[0], ceilDiv(Expr::dim(1, 1), 128));
}

TEST(Manifest, NewerVersionIsRefused) {
  // Whatever else a newer manifest holds.
  expectHas(
      parseManifest("{\"format_version\": 6, \"brand_new\": []}", 0).message(),
      "format version 6, newer than version 5");
  expectHas(errorOfText("\"format_version\": 5", "\"format_version\": 0"),
            "to be an integer");
}

TEST(Manifest, ChosenValuesAreKept) {
  Artifact artifact = scaleArtifact();
  artifact.manifest.kernels[0].chosen = {{"bm", 128}, {"shift", -1}};
  Result<Manifest> manifest = parseManifest(
      serializeManifest(artifact.manifest), artifact.blobs.size());
  ASSERT_TRUE(manifest.ok()) << manifest.message();
  ASSERT_EQ(manifest->kernels[0].chosen.size(), 2u);
  EXPECT_EQ(manifest->kernels[0].chosen[0].name, "bm");
  EXPECT_EQ(manifest->kernels[0].chosen[1].value, -1);
}

TEST(Manifest, CostsAreOfAllVersionsOrOfNone) {
  using K = KernelSpec;
  auto withVersion = [](K &k) {
    k.cost = tiledCost(128, 1000);
    k.versions = {k};
    k.versions[0].name = "other";
  };
  EXPECT_EQ(errorAfter(withVersion), "");
  expectHas(errorAfter([&](K &k) {
              withVersion(k);
              k.versions[0].cost = CostSpec();
            }),
            "expected a cost of all of them and of the kernel, or of none");
  expectHas(errorAfter([&](K &k) {
              withVersion(k);
              k.cost = CostSpec();
            }),
            "or of none");
  // What it asks of arguments is there.
  expectHas(errorAfter([&](K &k) {
              withVersion(k);
              k.versions[0].cost.loops[0].trips = Expr::dim(0, 7);
            }),
            "expected a dimension of a memref argument");
  expectHas(errorAfter([&](K &k) {
              withVersion(k);
              k.cost.streams[0].pitch = Expr::scalar(0);
            }),
            "expected an integer scalar argument");
}

TEST(Manifest, OlderVersionsAreRead) {
  // Version 1 knew no persistent kernels; its format is as closed as ours.
  Artifact artifact = scaleArtifact();
  std::string text = serializeManifest(artifact.manifest);
  auto replace = [&](const std::string &what, const std::string &with) {
    size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
  };
  replace("\"format_version\": 5", "\"format_version\": 1");
  expectHas(parseManifest(text, artifact.blobs.size()).message(),
            "unknown field 'persistent'");
  replace("\"persistent\": 0,", "");
  expectHas(parseManifest(text, artifact.blobs.size()).message(),
            "unknown field 'cooperative'");
  replace("\"cooperative\": false,", "");
  expectHas(parseManifest(text, artifact.blobs.size()).message(),
            "unknown field 'chosen'");
  size_t chosen = text.find("\"chosen\"");
  text.erase(chosen, text.find("\"assumptions\"") - chosen);
  expectHas(parseManifest(text, artifact.blobs.size()).message(),
            "unknown field 'cost'");
  replace("\"cost\": null,", "");
  expectHas(parseManifest(text, artifact.blobs.size()).message(),
            "unknown field 'versions'");
  text.replace(text.rfind(','), text.rfind("[]") + 2 - text.rfind(','), "");
  Result<Manifest> manifest = parseManifest(text, artifact.blobs.size());
  ASSERT_TRUE(manifest.ok()) << manifest.message();
  EXPECT_EQ(manifest->kernels[0].persistent, 0);
}

} // namespace
