//===- TileInterfaces.td - what passes ask of tile operations -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations join the compiler through these interfaces: dependences, barriers,
// liveness and layout inference ask them and know no operation by name.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_INTERFACES_TD
#define TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TileOpInterface : OpInterface<"TileOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation on tiles: which regions of which buffers it reads and writes.
    Dependence analysis, liveness of shared memory, barriers and pipelining use
    nothing else.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends every region the operation (its body included) may touch. An
        access whose extents are not known covers the whole buffer.
      }], "void", "getAccesses",
      (ins "::llvm::SmallVectorImpl<::mlir::tile::TileAccess> &":$accesses)>,
    InterfaceMethod<[{
        States what the operation demands of the layouts of the buffers it
        touches. Inference solves the demands of all operations together.
      }], "void", "getLayoutConstraints",
      (ins "::mlir::tile::LayoutConstraints &":$constraints),
      /*methodBody=*/"", /*defaultImplementation=*/"">,
    InterfaceMethod<[{
        The value that it gives to every element of one region, where it does
        nothing else; null elsewhere.
      }], "::mlir::Value", "getFillValue", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::mlir::Value();">,
    InterfaceMethod<[{
        How it combines what it computes with what `buffer` holds, where it does
        nothing else to `buffer`; nothing elsewhere.
      }], "::std::optional<::mlir::tile::ReduceKind>", "getAccumulation",
      (ins "::mlir::Value":$buffer), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::std::nullopt;">
  ];
  let extraClassDeclaration = [{
    /// Which thread makes which element of what is done element by element:
    /// part of a move's decision, an attribute of its own elsewhere; null when
    /// not inferred.
    ::mlir::tile::FragmentLayoutAttr getLoopLayout();
    void setLoopLayout(::mlir::tile::FragmentLayoutAttr layout);
  }];
}

def TileMoveOpInterface : OpInterface<"TileMoveOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation that moves one region to another, or combines it into the
    other. Copy selection, the rules of its instructions and their lowerings ask
    nothing else.
  }];
  let methods = [
    InterfaceMethod<"The buffer that is read.", "::mlir::Value", "getSource">,
    InterfaceMethod<"Its offsets; empty for zeros.", "::mlir::OperandRange",
                    "getSourceOffsets">,
    InterfaceMethod<"Extents of the region in it, one per dimension.",
                    "::llvm::SmallVector<int64_t>", "getSourceExtents">,
    InterfaceMethod<"The buffer that is written.", "::mlir::Value", "getTarget">,
    InterfaceMethod<"Its offsets; empty for zeros.", "::mlir::OperandRange",
                    "getTargetOffsets">,
    InterfaceMethod<"Extents of the region in it, one per dimension.",
                    "::llvm::SmallVector<int64_t>", "getTargetExtents">,
    InterfaceMethod<"The common tile: extents other than one.",
                    "::llvm::SmallVector<int64_t>", "getTileShape">,
    InterfaceMethod<"What the program asks for; null for nothing.",
                    "::mlir::tile::MoveRequestAttr", "getRequestAttr">,
    InterfaceMethod<"Asks for it.", "void", "setRequestAttr",
                    (ins "::mlir::tile::MoveRequestAttr":$request)>,
    InterfaceMethod<"What is decided; null for nothing.",
                    "::mlir::tile::MoveDecisionAttr", "getDecisionAttr">,
    InterfaceMethod<"Records what is decided.", "void", "setDecisionAttr",
                    (ins "::mlir::tile::MoveDecisionAttr":$decision)>,
    InterfaceMethod<"What is combined into the target; nothing replaces it.",
                    "::std::optional<::mlir::tile::AtomicKind>", "getCombining",
                    (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::std::nullopt;">,
    InterfaceMethod<"The value of what overhangs a source; null for zero.",
                    "::mlir::Value", "getPad", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::Value();">,
    InterfaceMethod<"Lets that be zero: whoever calls it knows that nothing else is seen.",
                    "void", "dropPad", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return;">,
    InterfaceMethod<[{
        Makes it a move between two other regions: whoever calls it sees to what
        is asked and decided. False, and no change, where a side of the move is
        no region at offsets.
      }], "bool", "setRegions",
                    (ins "::mlir::Value":$source,
                         "::mlir::ValueRange":$sourceOffsets,
                         "::llvm::ArrayRef<int64_t>":$sourceExtents,
                         "::mlir::Value":$target,
                         "::mlir::ValueRange":$targetOffsets,
                         "::llvm::ArrayRef<int64_t>":$targetExtents),
                    /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{
        How the elements of its global side are found. Where that is not a box,
        rows of the tile are runs along the last dimension of the global side,
        which has no offsets then, and the extents of one row.
      }], "::mlir::tile::MoveAddressing", "getAddressing", (ins),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::tile::MoveAddressing::Box;">,
    InterfaceMethod<"Where each row starts along it; null for a box.",
                    "::mlir::Value", "getRowStart", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::Value();">,
    InterfaceMethod<"The operand that is written.", "::mlir::OpOperand &",
                    "getTargetMutable">,
    InterfaceMethod<"The barriers of the program at one of which it completes; null elsewhere.",
                    "::mlir::Value", "getCompletion", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::Value();">,
    InterfaceMethod<"Which of these barriers it is; null where there are none.",
                    "::mlir::Value", "getCompletionIndex", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::Value();">,
    InterfaceMethod<"Whether it returns a token.", "bool", "isAsync", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return false;">
  ];
  let extraClassDeclaration = [{
    /// Whether it brings global memory to a tile in shared memory.
    bool isSharedLoad() {
      return !getCombining() && ::mlir::tile::isGlobal(getSource()) &&
             ::mlir::tile::isShared(getTarget());
    }
    /// Whether the elements of one box become those of another: nothing is
    /// combined, and no row has a place of its own.
    bool isPlain() {
      return !getCombining() && getAddressing() == ::mlir::tile::MoveAddressing::Box;
    }
    /// Whether the instruction chosen is one of the asynchronous proxy: tensor
    /// copies and bulk copies, each issued by one thread.
    bool isMovedByProxy();
  }];
  // Parts of the two attributes, of the interface and of each operation.
  let extraSharedClassDeclaration = [{
    ::mlir::tile::MoveRequest getAsked() {
      return ::mlir::tile::MoveRequest::of($_op.getRequestAttr());
    }
    void setAsked(const ::mlir::tile::MoveRequest &asked) {
      $_op.setRequestAttr(asked.getAttr($_op->getContext()));
    }
    ::mlir::tile::MoveDecision getDecided() {
      return ::mlir::tile::MoveDecision::of($_op.getDecisionAttr());
    }
    void setDecided(const ::mlir::tile::MoveDecision &decided) {
      $_op.setDecisionAttr(decided.getAttr($_op->getContext()));
    }

    /// The instruction that the program asks for.
    ::mlir::tile::CopyInstructionAttr getPreferAttr() { return getAsked().prefer; }
    ::std::optional<::mlir::tile::CopyInstruction> getPrefer() {
      auto attr = getPreferAttr();
      return attr ? ::std::optional(attr.getValue()) : ::std::nullopt;
    }
    void setPreferAttr(::mlir::tile::CopyInstructionAttr prefer) {
      auto asked = getAsked();
      asked.prefer = prefer;
      setAsked(asked);
    }
    /// Whether the program refuses tensor copies.
    bool getDisableTma() { return getAsked().disableTma; }
    /// Elements that a thread is asked to move at a time.
    ::std::optional<uint64_t> getCoalescedWidth() {
      return ::mlir::tile::valueOf(getAsked().coalescedWidth);
    }
    /// How long the L2 cache should keep what is moved.
    ::mlir::tile::EvictionPolicyAttr getEvictionPolicyAttr() {
      return getAsked().evictionPolicy;
    }
    ::std::optional<::mlir::tile::EvictionPolicy> getEvictionPolicy() {
      auto attr = getEvictionPolicyAttr();
      return attr ? ::std::optional(attr.getValue()) : ::std::nullopt;
    }
    void setEvictionPolicyAttr(::mlir::tile::EvictionPolicyAttr policy) {
      auto asked = getAsked();
      asked.evictionPolicy = policy;
      setAsked(asked);
    }

    /// Which thread moves which element; null when not inferred.
    ::mlir::tile::FragmentLayoutAttr getLayoutAttr() { return getDecided().layout; }
    ::std::optional<::mlir::tile::FragmentLayoutAttr> getLayout() {
      auto attr = getLayoutAttr();
      return attr ? ::std::optional(attr) : ::std::nullopt;
    }
    void setLayoutAttr(::mlir::tile::FragmentLayoutAttr layout) {
      auto decided = getDecided();
      decided.layout = layout;
      setDecided(decided);
    }
    /// The instruction chosen; null before selection.
    ::mlir::tile::CopyPlanAttr getPlanAttr() { return getDecided().plan; }
    ::std::optional<::mlir::tile::CopyPlanAttr> getPlan() {
      auto attr = getPlanAttr();
      return attr ? ::std::optional(attr) : ::std::nullopt;
    }
    void setPlanAttr(::mlir::tile::CopyPlanAttr plan) {
      auto decided = getDecided();
      decided.plan = plan;
      setDecided(decided);
    }
    /// Blocks of a cluster that share the move.
    ::std::optional<uint64_t> getMulticast() {
      return ::mlir::tile::valueOf(getDecided().multicast);
    }
    /// Dimensions of the cluster in which those blocks differ; null for all.
    ::mlir::DenseI64ArrayAttr getMulticastAlongAttr() {
      return getDecided().multicastAlong;
    }
    /// Shares the move among blocks of a cluster; null for one block, and for
    /// all dimensions.
    void setMulticast(::mlir::IntegerAttr blocks, ::mlir::DenseI64ArrayAttr along) {
      auto decided = getDecided();
      decided.multicast = blocks;
      decided.multicastAlong = along;
      setDecided(decided);
    }
    /// Whether its regions are known to overhang nothing.
    bool getInside() { return getDecided().inside; }
    void setInside(bool inside) {
      auto decided = getDecided();
      decided.inside = inside;
      setDecided(decided);
    }
    /// Whether the target's region may begin at a negative index, where threads
    /// store it in place of a tensor copy.
    bool getInFront() { return getDecided().inFront; }
    void setInFront(bool inFront) {
      auto decided = getDecided();
      decided.inFront = inFront;
      setDecided(decided);
    }
    /// Groups of warps that each move a part, along each dimension of the shared
    /// side; null for all as one.
    ::mlir::DenseI64ArrayAttr getGroupsAttr() { return getDecided().groups; }
    ::std::optional<::llvm::ArrayRef<int64_t>> getGroups() {
      ::mlir::DenseI64ArrayAttr groups = getGroupsAttr();
      return groups ? ::std::optional(groups.asArrayRef()) : ::std::nullopt;
    }
    void setGroupsAttr(::mlir::DenseI64ArrayAttr groups) {
      auto decided = getDecided();
      decided.groups = groups;
      setDecided(decided);
    }
    /// Their number; 1 without groups.
    int64_t getNumGroups() {
      int64_t count = 1;
      for (int64_t groups : getGroups().value_or(::llvm::ArrayRef<int64_t>()))
        count *= groups;
      return count;
    }
  }];
}

def TileOrderOpInterface : OpInterface<"TileOrderOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation that orders others (rings, tokens, roles) and touches no element
    of a tile itself.
  }];
  let methods = [
    InterfaceMethod<[{
        Whether slots that `view` shows may be filled again after it, as any memory
        may that a thread hands over.
      }], "bool", "freesSlotOf", (ins "::mlir::Value":$view), /*methodBody=*/"",
      /*defaultImplementation=*/"return $_op.handsOver();">,
    InterfaceMethod<"Tokens of the operations that have ended after it.",
                    "::mlir::ValueRange", "getAwaitedTokens", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
        Whether each thread that runs it gives away by it what the thread has
        done so far: others may use the memory then.
      }], "bool", "handsOver", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{
        In how many groups the threads of the agent meet at it, each group on its
        own; 1 where all of them meet, nothing where none do.
      }], "::std::optional<int64_t>", "getMeetingGroups", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::std::nullopt;">
  ];
}

def TileRingOpInterface : OpInterface<"TileRingOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation of an agent on a ring. The producer acquires and commits a use,
    a consumer waits for it and releases it; a drain ends all of them.
  }];
  let methods = [
    InterfaceMethod<"The ring.", "::mlir::Value", "getRing">,
    InterfaceMethod<"The number of the use; null where it is about all of them.",
                    "::mlir::Value", "getUse", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::Value();">,
    InterfaceMethod<"Whether it belongs to filling slots: an acquire or a commit.",
                    "bool", "fillsSlots", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Whether it waits for a slot and shows its buffers: an acquire or a wait.",
                    "bool", "showsSlot", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Whether it says that a consumer has read a slot: a release.",
                    "bool", "releasesSlot", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">
  ];
}

def TileAgentsOpInterface : OpInterface<"TileAgentsOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation whose regions are programs of agents: all threads of an agent
    follow the same control flow.
  }];
  let methods = [
    InterfaceMethod<"Warps of the agent that runs a region; 0 where none is stated.",
                    "int64_t", "getWarpsOfAgent", (ins "unsigned":$region)>,
    InterfaceMethod<"Registers of a thread of that agent; 0 where none are stated.",
                    "int64_t", "getRegistersOfAgent", (ins "unsigned":$region),
                    /*methodBody=*/"", /*defaultImplementation=*/"return 0;">
  ];
}

def TileStorageOpInterface : OpInterface<"TileStorageOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation whose result is memory of a kernel: a tile, the slots of a ring,
    or barriers. Who places memory, or counts it, asks this interface.
  }];
  let methods = [
    InterfaceMethod<"Types of the tiles that a slot holds; none for barriers.",
                    "::llvm::SmallVector<::mlir::MemRefType>", "getTileTypes", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"How many slots there are; 1 for what is no ring.",
                    "int64_t", "getNumSlots", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return 1;">,
    InterfaceMethod<[{
        The layouts of those tiles in shared memory; none before inference, and
        for tiles elsewhere.
      }], "::llvm::SmallVector<::mlir::tile::SharedLayoutAttr>", "getSharedLayouts",
      (ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Whether it has mbarriers.", "bool", "hasMbarriers", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Whether other blocks of the cluster fill it, too.", "bool",
                    "isFilledByPeers", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">
  ];
  let extraClassDeclaration = [{
    /// Whether tiles lie in such memory.
    bool isIn(::mlir::tile::MemorySpace space) {
      return ::llvm::any_of(getTileTypes(), [&](::mlir::MemRefType type) {
        return ::mlir::tile::getMemorySpace(type) == space;
      });
    }
  }];
}

def TileElementOpInterface : OpInterface<"TileElementOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation of a thread that reads or writes one element of a buffer which
    other threads use at the same time, in a memory order.
  }];
  let methods = [
    InterfaceMethod<"The buffer.", "::mlir::Value", "getMemref">,
    InterfaceMethod<"The operand that it is.", "::mlir::OpOperand &",
                    "getMemrefMutable">,
    InterfaceMethod<"Where the element is.", "::mlir::OperandRange", "getIndices">,
    InterfaceMethod<"The operands that say so.", "::mlir::MutableOperandRange",
                    "getIndicesMutable">,
    InterfaceMethod<"The memory order.", "::mlir::tile::MemoryOrder", "getOrder">,
    InterfaceMethod<"Whether it writes the element.", "bool", "writesElement">
  ];
}

def TileMbarrierUseOpInterface : OpInterface<"TileMbarrierUseOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation that uses a barrier of the program, or can: it arrives there,
    waits there, or completes there.
  }];
  let methods = [
    InterfaceMethod<"The barriers, of which it uses one; null where it uses none.",
                    "::mlir::Value", "getMbarriers">,
    InterfaceMethod<"The operand that says which one, where it uses one.",
                    "::mlir::OpOperand &", "getMbarrierIndexMutable">,
    InterfaceMethod<"The parity of the phase that it waits for; null where it waits for none.",
                    "::mlir::OpOperand *", "getAwaitedParity", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return nullptr;">,
    InterfaceMethod<"Whether each thread that runs it arrives once.", "bool", "arrives",
                    (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"The block of the cluster whose barrier it is; null for its own.",
                    "::mlir::Value", "getMbarrierBlock", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::Value();">
  ];
}

def TileSingleThreadOpInterface : OpInterface<"TileSingleThreadOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation of block level that one thread may run for its agent: it issues
    work that others do, or promises something.
  }];
  let methods = [
    InterfaceMethod<"Returns true if one elected thread may execute this operation on behalf of its agent.", "bool", "runsOnOneThread",
                    (ins), /*methodBody=*/"", /*defaultImplementation=*/"return true;">
  ];
}

#endif // TILE_INTERFACES_TD
