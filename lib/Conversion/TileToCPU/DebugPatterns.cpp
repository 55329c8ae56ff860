//===- DebugPatterns.cpp - print, assert, assume on the CPU ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the functions that whoever runs the program provides (in this
// project lib/Target/CpuRuntime.cpp): each takes the `%context` that the
// kernel's function was given.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// The functions of whoever runs the program: declared where first called.
class RuntimeCalls {
public:
  RuntimeCalls(Operation *op) : loc(op->getLoc()) {
    function = op->getParentOfType<func::FuncOp>();
    module = function->getParentOfType<ModuleOp>();
    context = function.getArguments().back();
    // Below the function stands the loop over blocks.
    while (op->getParentOp() != function)
      op = op->getParentOp();
    block = cast<scf::ForOp>(op).getInductionVar();
  }

  void printBegin(OpBuilder &b, Value message) {
    call(b, "tile_cpu_print_begin", {context, block, message});
  }
  void printIndex(OpBuilder &b, Value index) {
    call(b, "tile_cpu_print_index", {context, index});
  }
  void printValue(OpBuilder &b, Value value) {
    if (isa<FloatType>(value.getType()))
      call(b, "tile_cpu_print_float",
           {context, castElement(b, loc, value, b.getF64Type())});
    else
      call(b, "tile_cpu_print_int",
           {context, castElement(b, loc, value, b.getI64Type())});
  }
  /// Stops the block when `condition` is false.
  void check(OpBuilder &b, Value condition, StringRef message) {
    Value text = this->message(b, message);
    Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    Value broken = arith::XOrIOp::create(b, loc, condition, one);
    auto branch = scf::IfOp::create(b, loc, broken);
    OpBuilder inner = branch.getThenBodyBuilder();
    call(inner, "tile_cpu_assert_failed", {context, block, text});
  }
  /// A pointer to the text, terminated by zero.
  Value message(OpBuilder &b, StringRef text) {
    std::string name;
    for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
      name = "tile.message." + std::to_string(i);
    std::string bytes = text.str() + '\0';
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(
        b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        b.getStringAttr(bytes));
    b.setInsertionPointToStart(&function.getBody().front());
    return LLVM::AddressOfOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
  }

private:
  void call(OpBuilder &b, StringRef name, ValueRange operands) {
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      func::FuncOp::create(b, loc, name,
                           b.getFunctionType(TypeRange(operands), TypeRange()))
          .setPrivate();
    }
    func::CallOp::create(b, loc, name, TypeRange(), operands);
  }

  Location loc;
  func::FuncOp function;
  ModuleOp module;
  Value context, block;
};

struct PrintLowering : OpConversionPattern<PrintOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCalls runtime(op);
    Value value = adaptor.getValue();
    Value message = runtime.message(rewriter, op.getMessage());
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      runtime.printBegin(rewriter, message);
      runtime.printValue(rewriter, value);
    } else {
      loopOver(rewriter, op.getLoc(), type.getShape(),
               [&](OpBuilder &b, Location loc, ValueRange indices) {
                 runtime.printBegin(b, message);
                 for (Value index : indices)
                   runtime.printIndex(b, index);
                 runtime.printValue(
                     b, memref::LoadOp::create(b, loc, value, indices));
               });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssertLowering : OpConversionPattern<AssertOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCalls(op).check(rewriter, adaptor.getCondition(), op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssumeLowering : OpConversionPattern<AssumeOp> {
  AssumeLowering(MLIRContext *context, bool check)
      : OpConversionPattern(context), check(check) {}

  LogicalResult
  matchAndRewrite(AssumeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (check) {
      Value value = castElement(rewriter, op.getLoc(), adaptor.getValue(),
                                rewriter.getI64Type());
      promise(rewriter, op, value, op.getDivisibleBy(), "divisible by ");
      promise(rewriter, op, value, op.getMin(), "at least ");
      promise(rewriter, op, value, op.getMax(), "at most ");
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void promise(OpBuilder &b, AssumeOp op, Value value,
                      std::optional<uint64_t> bound, StringRef words) {
    if (!bound)
      return;
    Location loc = op.getLoc();
    int64_t number = static_cast<int64_t>(*bound);
    Value limit =
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
    Value left = value;
    arith::CmpIPredicate predicate = arith::CmpIPredicate::sle;
    if (words.starts_with("divisible")) {
      left = arith::RemSIOp::create(b, loc, value, limit);
      limit = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
      predicate = arith::CmpIPredicate::eq;
    } else if (words == "at least ") {
      predicate = arith::CmpIPredicate::sge;
    }
    Value holds = arith::CmpIOp::create(b, loc, predicate, left, limit);
    RuntimeCalls(op).check(
        b, holds, ("assumed a value " + words + std::to_string(number)).str());
  }

  bool check;
};
} // namespace

void tile::populateDebugPatterns(RewritePatternSet &patterns,
                                 bool checkAssumptions) {
  patterns.add<PrintLowering, AssertLowering>(patterns.getContext());
  patterns.add<AssumeLowering>(patterns.getContext(), checkAssumptions);
}
