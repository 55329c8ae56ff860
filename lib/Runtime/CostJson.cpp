//===- CostJson.cpp - What predicts a kernel's time, as JSON --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CostJson.h"
#include "ExprJson.h"

#include <limits>

using namespace mlir::tile::runtime;

constexpr int64_t kMaxInt = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxGroups = 64;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Json toJson(const DeviceFigures &device) {
  Json object = Json::object();
  object["name"] = device.name;
  object["multiprocessors"] = device.multiprocessors;
  object["max_ghz"] = device.maxGHz;
  object["sustained_ghz"] = device.sustainedGHz;
  object["dram_bytes_per_second"] = device.dramBytesPerSecond;
  object["l2_capacity"] = device.l2Capacity;
  object["shared_bytes"] = device.sharedBytes;
  object["l2_bytes"] = device.l2Bytes;
  object["load_latency"] = device.loadLatency;
  object["groups"] = device.groups;
  return object;
}

static Json toJson(const CostLoop &loop) {
  Json object = Json::object();
  object["stages"] = loop.stages;
  object["trips"] = toJson(loop.trips);
  object["times"] = loop.times;
  object["parent"] = loop.parent;
  object["tensor_cycles"] = loop.work.tensorCycles;
  object["thread_cycles"] = loop.work.threadCycles;
  object["shared_read"] = loop.work.sharedRead;
  object["shared_written"] = loop.work.sharedWritten;
  object["loaded"] = loop.work.loaded;
  object["stored"] = loop.work.stored;
  object["waits"] = loop.work.waits;
  return object;
}

static Json toJson(const CostStream &stream) {
  Json object = Json::object();
  object["loop"] = stream.loop;
  object["bytes"] = stream.bytes;
  object["loaded"] = stream.loaded;
  object["elements"] = toJson(stream.elements);
  object["pitch"] = toJson(stream.pitch);
  object["element_bytes"] = stream.elementBytes;
  object["varies"] = stream.varies;
  object["is_store"] = stream.isStore;
  return object;
}

Json mlir::tile::runtime::toJson(const CostSpec &cost) {
  if (cost.empty())
    return nullptr;
  Json object = Json::object();
  object["device"] = ::toJson(cost.device);
  object["tiles"] = exprsToJson(cost.tiles);
  object["cluster"] = cost.launch.cluster;
  object["consumers"] = cost.launch.consumers;
  object["resident"] = cost.launch.resident;
  object["panel"] = cost.launch.panel;
  object["persistent"] = cost.launch.persistent;
  object["split"] = cost.launch.split;
  object["stream_k"] = cost.launch.streamK;
  object["has_roles"] = cost.launch.hasRoles;
  Json loops = Json::array(), streams = Json::array();
  for (const CostLoop &loop : cost.loops)
    loops.push_back(::toJson(loop));
  for (const CostStream &stream : cost.streams)
    streams.push_back(::toJson(stream));
  object["loops"] = loops;
  object["streams"] = streams;
  return object;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static void readPositive(JsonObject &object, const char *field, double &out,
                         JsonErrors &errors) {
  object.number(field, out);
  if (!errors.any() && out <= 0)
    errors.report(object.path(), std::string("expected the field '") + field +
                                     "' to be above 0");
}

static DeviceFigures readDevice(const Json &value, const std::string &path,
                                JsonErrors &errors) {
  DeviceFigures device;
  JsonObject object(value, path, errors);
  object.string("name", device.name);
  object.integer("multiprocessors", device.multiprocessors, 1, kMaxIndex);
  readPositive(object, "max_ghz", device.maxGHz, errors);
  readPositive(object, "sustained_ghz", device.sustainedGHz, errors);
  readPositive(object, "dram_bytes_per_second", device.dramBytesPerSecond,
               errors);
  object.number("l2_capacity", device.l2Capacity);
  readPositive(object, "shared_bytes", device.sharedBytes, errors);
  readPositive(object, "l2_bytes", device.l2Bytes, errors);
  object.number("load_latency", device.loadLatency);
  if (const Json *groups = object.array("groups", kMaxGroups))
    for (const Json &group : *groups) {
      int64_t size = 0;
      if (!readInteger(group, size) || size < 1 || size > kMaxIndex) {
        errors.report(path, "expected groups of 1 or more multiprocessors");
        break;
      }
      device.groups.push_back(size);
    }
  object.finish();
  return device;
}

static CostLoop readLoop(const Json &value, const std::string &path,
                         unsigned index, JsonErrors &errors) {
  CostLoop loop;
  JsonObject object(value, path, errors);
  object.integer("stages", loop.stages, 1, kMaxIndex);
  if (const Json *trips = object.any("trips"))
    loop.trips = readExpr(*trips, path, errors);
  object.number("times", loop.times);
  int64_t parent = 0;
  object.integer("parent", parent, 0, index ? index - 1 : 0);
  loop.parent = unsigned(parent);
  object.number("tensor_cycles", loop.work.tensorCycles);
  object.number("thread_cycles", loop.work.threadCycles);
  object.number("shared_read", loop.work.sharedRead);
  object.number("shared_written", loop.work.sharedWritten);
  object.number("loaded", loop.work.loaded);
  object.number("stored", loop.work.stored);
  object.number("waits", loop.work.waits);
  object.finish();
  return loop;
}

static CostStream readStream(const Json &value, const std::string &path,
                             size_t loops, JsonErrors &errors) {
  CostStream stream;
  JsonObject object(value, path, errors);
  int64_t loop = 0;
  object.integer("loop", loop, 0, loops ? int64_t(loops) - 1 : 0);
  stream.loop = unsigned(loop);
  object.number("bytes", stream.bytes);
  object.number("loaded", stream.loaded);
  if (const Json *elements = object.any("elements"))
    stream.elements = readExpr(*elements, path, errors);
  if (const Json *pitch = object.any("pitch"))
    stream.pitch = readExpr(*pitch, path, errors);
  object.number("element_bytes", stream.elementBytes);
  if (const Json *varies = object.array("varies", 3)) {
    if (varies->size() != 3)
      errors.report(path, "expected the field 'varies' to have 3 elements");
    for (size_t d = 0; d < 3 && !errors.any(); ++d) {
      if (!(*varies)[d].is_boolean())
        errors.report(path,
                      "expected the field 'varies' to hold true or false");
      else
        stream.varies[d] = (*varies)[d].get<bool>();
    }
  }
  object.boolean("is_store", stream.isStore);
  object.finish();
  return stream;
}

CostSpec mlir::tile::runtime::readCost(const Json &value,
                                       const std::string &path,
                                       JsonErrors &errors) {
  CostSpec cost;
  if (value.is_null())
    return cost;
  JsonObject object(value, path, errors);
  if (const Json *device = object.any("device"))
    cost.device = readDevice(*device, pathJoin(path, "device"), errors);
  std::vector<Expr> tiles = readExprs(object, "tiles", 3, errors);
  if (!errors.any() && tiles.size() != 3)
    errors.report(path, "expected the field 'tiles' to have 3 elements");
  for (size_t d = 0; d < 3 && !errors.any(); ++d)
    cost.tiles[d] = tiles[d];
  LaunchFacts &launch = cost.launch;
  if (const Json *cluster = object.array("cluster", 3)) {
    bool good = cluster->size() == 3;
    for (size_t d = 0; good && d < 3; ++d)
      good = readInteger((*cluster)[d], launch.cluster[d]) &&
             launch.cluster[d] >= 1 && launch.cluster[d] <= 16;
    if (!good)
      errors.report(path, "expected a cluster of three extents of 1 to 16");
  }
  object.integer("consumers", launch.consumers, 1, kMaxIndex);
  object.integer("resident", launch.resident, 1, kMaxIndex);
  object.integer("panel", launch.panel, 0, kMaxInt);
  object.integer("persistent", launch.persistent, 0, kMaxIndex);
  object.integer("split", launch.split, 1, 16);
  object.integer("stream_k", launch.streamK, 0, 1024);
  object.boolean("has_roles", launch.hasRoles);
  const Json *loops = object.array("loops", kMaxCostLoops);
  const Json *streams = object.array("streams", kMaxCostStreams);
  object.finish();
  if (errors.any())
    return cost;
  if (loops->empty())
    errors.report(path, "expected at least one loop: the block itself");
  for (size_t i = 0; i < loops->size() && !errors.any(); ++i)
    cost.loops.push_back(readLoop(
        (*loops)[i], pathJoin(path, "loop " + std::to_string(i)), i, errors));
  for (size_t i = 0; i < streams->size() && !errors.any(); ++i)
    cost.streams.push_back(
        readStream((*streams)[i], pathJoin(path, "stream " + std::to_string(i)),
                   cost.loops.size(), errors));
  return cost;
}

std::string mlir::tile::runtime::serializeCost(const CostSpec &cost) {
  return toJson(cost).dump();
}

Result<CostSpec> mlir::tile::runtime::parseCost(const std::string &text) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Error{"expected JSON"};
  JsonErrors errors;
  CostSpec cost = readCost(document, "cost", errors);
  if (errors.any())
    return Error{errors.message};
  return cost;
}
