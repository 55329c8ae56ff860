//===- RingModel.h - what a kernel does with rings and tokens ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel reduced to what decides its schedule: ring operations, asynchronous
// issues, awaits, accesses to slots and to buffers in flight, the control flow
// around them, and the index arithmetic that this control flow depends on.
// Everything else is dropped. RingRun.h executes the model for one choice of
// sizes; RingExplorer.h puts the agents' traces together.
// docs/Rationale/VerifyRings.md says what is modelled and what is not.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGMODEL_H
#define TILE_LIB_ANALYSIS_RINGMODEL_H

#include "tile/Analysis/ClusterGroups.h"
#include "tile/Analysis/RingVerification.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include <deque>
#include <string>

namespace mlir::tile::rings {

//===----------------------------------------------------------------------===//
// Scalars: evaluated on demand, never in program order
//===----------------------------------------------------------------------===//

using ScalarId = int32_t;
inline constexpr ScalarId kNoScalar = -1;

enum class ScalarCode : uint8_t {
  Constant,
  Leaf,  // chosen by enumeration: argument, extent, loaded value
  Bound, // set by execution: induction variable, loop-carried value, token
  Affine,
  Add,
  Sub,
  Mul,
  DivU,
  DivS,
  CeilDivU,
  CeilDivS,
  FloorDivS,
  RemU,
  RemS,
  MinS,
  MaxS,
  MinU,
  MaxU,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Compare,
  Select,
  Cast,
  SignExtendBool
};

struct Scalar {
  ScalarCode code = ScalarCode::Constant;
  /// The constant; the predicate of a comparison; the source of a leaf.
  int64_t constant = 0;
  Operation *op = nullptr;
  SmallVector<ScalarId, 3> operands;
};

/// Where values come from that the model cannot compute.
enum class SourceKind : uint8_t {
  /// One value: an argument, an extent of an argument.
  Fixed,
  /// A function of its operands: a pure operation, a load of memory that the
  /// kernel does not write. Equal operands give equal values in every agent.
  Keyed,
  /// A load from a slot: what the producer of that use stored.
  Payload,
  /// A new value at each execution, in each agent.
  Effect
};

struct Source {
  SourceKind kind = SourceKind::Fixed;
  std::string name;
  bool isBool = false;
  /// An extent of a buffer.
  bool isExtent = false;
  int64_t min = 0, max = int64_t(1) << 30, divisor = 1;
  /// For block coordinates: the value is cluster * extent + this block's digit.
  int gridDim = -1;
  /// For payloads: the view loaded from, and which buffer of it.
  int view = -1, buffer = 0;
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

enum class StepKind : uint8_t {
  Create,
  Acquire,
  Commit,
  Wait,
  Release,
  Drain,
  Access, // synchronous; stores of payload included
  Issue,  // asynchronous gemm or copy
  Await,
  Assume,
  For,
  While,
  If,
  Specialize
};

/// One access to a slot's view or to a buffer that something asynchronous uses.
struct Touch {
  int view = -1;   // else `buffer` counts
  int buffer = -1; // of the view, or of the model
  bool isWrite = false;
  /// The accumulator of a gemm.
  bool isAccumulator = false;
};

struct Step {
  explicit Step(StepKind kind, Operation *op = nullptr, int ring = -1)
      : kind(kind), op(op), ring(ring) {}
  StepKind kind;
  Operation *op;
  int id = 0;
  int ring, view = -1;
  ScalarId use = kNoScalar; // also: condition of If, value of Assume
  int64_t inFlight = 0;
  SmallVector<Touch, 4> touches;
  RingConsumer kindOfReader = RingConsumer::Threads; // who reads slots
  bool readerIsOpen = false; // no plan yet: any consumer kind may be meant
  /// Multicast: blocks that differ in these dimensions of the cluster only.
  ClusterDims multicast = 0;
  bool awaitsReadOnly = false;
  bool isAgain = false;       // a wait for what the agent has waited for
  bool meets = false;         // a release for which warpgroups meet
  ScalarId token = kNoScalar; // result of Issue
  SmallVector<ScalarId, 2> tokens;
  ScalarId stored = kNoScalar; // payload
  SmallVector<ScalarId, 2> indices;
  // For: bounds, induction variable. `carried` are the loop's arguments that
  // matter, with what they start from, what an iteration yields, the result.
  ScalarId lower = kNoScalar, upper = kNoScalar, stride = kNoScalar,
           induction = kNoScalar;
  SmallVector<ScalarId, 2> inits, carried, yields, results;
  // While: arguments of the second region and what is passed to it.
  SmallVector<ScalarId, 2> passed, received;
  // If: yields of the else region.
  SmallVector<ScalarId, 2> elseYields;
  SmallVector<int, 2> bodies;
  /// The largest number of stages of a ring used inside.
  int64_t stages = 1;
  bool hasRingOps = false;
};

struct Body {
  std::vector<Step> steps;
  /// Scalars defined here: unknown again whenever the body is entered.
  SmallVector<ScalarId> locals;
};

//===----------------------------------------------------------------------===//
// Rings, views, agents
//===----------------------------------------------------------------------===//

struct Ring {
  RingCreateOp create;
  RingType type;
  int64_t stages = 1;
  /// Groups of blocks that fill each other's slots, and to whose blocks a
  /// release goes, as the lowering will have it.
  SmallVector<ClusterDims, 2> fills, releases;
  /// Producer and consumer are one agent and no mbarrier is involved: the full
  /// and empty signals are groups and barriers among its threads.
  bool isBarrierProtocol = false;
  bool storesLeaveSlots = false;            // a consumer is tma_store
  std::optional<RingArrivals> arrivals;     // where they were counted
  SmallVector<int, 2> producers, consumers; // agents
  std::string name;
};

struct View {
  int ring = -1;
  bool isAcquire = false;
  Operation *op = nullptr;
};

struct Agent {
  std::string name;
  int body = -1;
  int64_t warps = 1;
  /// Explored as two threads that meet at barriers only.
  bool isSplit = false;
};

using Note = RingNote;
using Finding = RingFinding;

struct Model {
  KernelOp kernel;
  int64_t clusterSize = 1;
  std::optional<ClusterGroups> groups;
  SmallVector<int64_t> clusterExtents;
  std::vector<Scalar> scalars;
  std::vector<Source> sources;
  std::deque<Body> bodies;
  std::vector<Ring> rings;
  std::vector<View> views;
  std::vector<Value> buffers;
  /// Agent 0 is the whole block: everything outside roles.
  std::vector<Agent> agents;
  int numControlSteps = 0;
  int64_t maxStages = 1;
  /// What cannot be modelled; the verdict is then "not proved".
  Operation *unsupported = nullptr;
  std::string unsupportedReason;
  /// Faults that need no execution.
  SmallVector<Finding> findings;

  /// There is something to verify.
  bool isTrivial() const { return rings.empty() && buffers.empty(); }
};

/// Reduces `kernel`; never fails, but may leave `unsupported` set.
Model extractModel(KernelOp kernel);

} // namespace mlir::tile::rings
#endif // TILE_LIB_ANALYSIS_RINGMODEL_H
