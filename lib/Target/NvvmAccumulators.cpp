//===- NvvmAccumulators.cpp - registers that are still written ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hazards of instructions that write registers after they were issued: wgmma
// and tcgen05.ld.
//
//===----------------------------------------------------------------------===//
#include "NvvmShapes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Target/PtxMnemonics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::hazards;

namespace {
/// Follows accumulators from the assembly that issues a group, through the
/// arrays that fragments are before optimization, to the assembly that waits.
class AccumulatorCheck {
public:
  explicit AccumulatorCheck(LLVM::LLVMFuncOp function) : function(function) {}
  bool run();

private:
  using Arrays = llvm::SmallPtrSet<Operation *, 4>;

  /// The array a pointer points into, or null.
  static Operation *arrayOf(Value pointer) {
    while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = gep.getBase();
    return pointer.getDefiningOp<LLVM::AllocaOp>();
  }
  /// Executes a block; with `report`, says what is wrong.
  void transfer(Block &block, Arrays &inFlight, bool report);
  void checkUsers(Value value, Operation *issue);

  LLVM::LLVMFuncOp function;
  /// Results of issues, and parts of them.
  llvm::DenseSet<Value> flying;
  /// The instruction that put an array's contents in flight.
  llvm::DenseMap<Operation *, Operation *> issues;
  llvm::DenseMap<Value, Operation *> issueOf;
  llvm::SmallPtrSet<Operation *, 8> reported;
  bool failed = false;
};
} // namespace

/// The group that the assembly issues is not waited for in it.
static bool leavesGroupInFlight(Operation *op) {
  StringRef text = assembly(op);
  size_t issue = text.rfind(ptx::kWgmmaMma);
  return issue != StringRef::npos &&
         !text.drop_front(issue).contains(ptx::kWgmmaWaitForAll);
}

static bool isMovedOnly(Operation *op) {
  return isa<LLVM::ExtractValueOp, LLVM::InsertValueOp, LLVM::BitcastOp,
             LLVM::ExtractElementOp, LLVM::InsertElementOp>(op);
}

/// Values in flight may be stored, and given to the next group or the wait.
void AccumulatorCheck::checkUsers(Value value, Operation *issue) {
  SmallVector<Value> pending{value};
  llvm::SmallDenseSet<Value> seen;
  while (!pending.empty()) {
    Value current = pending.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    for (Operation *user : current.getUsers()) {
      if (isMovedOnly(user)) {
        pending.push_back(user->getResult(0));
        continue;
      }
      if (assembly(user).contains(ptx::kAnyWgmma) || isa<LLVM::StoreOp>(user) ||
          isa<BranchOpInterface>(user) || !reported.insert(user).second)
        continue;
      InFlightDiagnostic diag =
          user->emitError()
          << "an accumulator is used before wgmma.wait_group: PTX ISA, "
             "'Asynchronous Warpgroup Level Matrix Instructions: "
             "wgmma.wait_group', accessing it is undefined";
      diag.attachNote(issue->getLoc()) << "in flight since here";
      failed = true;
    }
  }
}

void AccumulatorCheck::transfer(Block &block, Arrays &inFlight, bool report) {
  for (Operation &op : block) {
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      Operation *array = arrayOf(store.getAddr());
      if (!array)
        continue;
      if (flying.contains(store.getValue())) {
        inFlight.insert(array);
        issues.try_emplace(array, issueOf.lookup(store.getValue()));
      } else {
        inFlight.erase(array); // what the wait gave, or new contents
      }
    } else if (auto load = dyn_cast<LLVM::LoadOp>(op); load && report) {
      Operation *array = arrayOf(load.getAddr());
      if (array && inFlight.contains(array))
        checkUsers(load.getResult(), issues.lookup(array));
    }
  }
}

bool AccumulatorCheck::run() {
  function.walk([&](LLVM::InlineAsmOp issue) {
    if (!leavesGroupInFlight(issue))
      return;
    SmallVector<Value> pending(issue->getResults());
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!flying.insert(value).second)
        continue;
      issueOf[value] = issue;
      for (Operation *user : value.getUsers())
        if (isMovedOnly(user))
          pending.push_back(user->getResult(0));
    }
    for (Value result : issue->getResults())
      checkUsers(result, issue);
  });
  if (flying.empty())
    return true;
  // What may be in flight at the end of each block.
  llvm::DenseMap<Block *, Arrays> atEnd;
  auto atStart = [&](Block &block) {
    Arrays arrays;
    for (Block *before : block.getPredecessors())
      arrays.insert(atEnd[before].begin(), atEnd[before].end());
    return arrays;
  };
  bool isChanging = true;
  while (isChanging) {
    isChanging = false;
    for (Block &block : function.getBody()) {
      Arrays arrays = atStart(block);
      transfer(block, arrays, /*report=*/false);
      if (arrays == atEnd[&block])
        continue;
      atEnd[&block] = std::move(arrays);
      isChanging = true;
    }
  }
  for (Block &block : function.getBody()) {
    Arrays arrays = atStart(block);
    transfer(block, arrays, /*report=*/true);
  }
  return !failed;
}

bool hazards::checkTensorLoads(LLVM::LLVMFuncOp function) {
  bool ok = true;
  function.walk([&](Operation *load) {
    StringRef text = assembly(load);
    size_t at = text.rfind(ptx::kTcgen05Load);
    bool isOpen = at != StringRef::npos
                      ? !text.drop_front(at).contains(ptx::kTcgen05WaitForLoads)
                      : load->getName().getStringRef() == "nvvm.tcgen05.ld";
    if (!isOpen)
      return;
    SmallVector<Value> pending(load->getResults());
    while (!pending.empty())
      for (Operation *user : pending.pop_back_val().getUsers()) {
        if (isMovedOnly(user)) {
          pending.push_back(user->getResult(0));
          continue;
        }
        if (assembly(user).contains(ptx::kTcgen05WaitForLoads))
          continue;
        InFlightDiagnostic diag =
            user->emitError()
            << "a register is used before tcgen05.wait::ld: PTX ISA, "
               "'tcgen05.ld', it is asynchronous";
        diag.attachNote(load->getLoc()) << "loaded here";
        ok = false;
      }
  });
  return ok;
}

bool hazards::checkAccumulators(LLVM::LLVMFuncOp function) {
  return AccumulatorCheck(function).run();
}
