# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written for MLIR's own Python bindings run with `mlir_tile` in the place of `mlir`.

One test per subject of upstream's interface: contexts, locations, types, attributes, affine
expressions and maps, operations, blocks, values, symbols, diagnostics, passes, rewriting.
"""

import gc
import io

import pytest
from mlir_tile.ir import (
    AffineAddExpr,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineMapAttr,
    ArrayAttr,
    Attribute,
    BF16Type,
    Block,
    BlockArgument,
    BoolAttr,
    ComplexType,
    Context,
    DenseElementsAttr,
    DenseF32ArrayAttr,
    DenseI64ArrayAttr,
    DiagnosticSeverity,
    DictAttr,
    F32Type,
    F64Type,
    FlatSymbolRefAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerSet,
    IntegerType,
    Location,
    MemRefType,
    MLIRError,
    Module,
    NoneType,
    Operation,
    OpResult,
    OpView,
    RankedTensorType,
    ShapedType,
    StridedLayoutAttr,
    StringAttr,
    SymbolTable,
    TupleType,
    Type,
    TypeAttr,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    Value,
    VectorType,
    WalkResult,
)  # fmt: skip
from mlir_tile.passmanager import PassManager

from mlir_tile.dialects import arith, builtin, func, scf


@pytest.fixture
def ctx():
    with Context() as context, Location.unknown():
        yield context


def i(width):
    return IntegerType.get_signless(width)


# -- Contexts, locations, diagnostics ---------------------------------------------------------


def test_contexts_are_entered_and_left():
    assert Context.current is None
    with Context() as outer:
        assert Context.current is outer
        with Context() as inner:
            assert Context.current is inner
        assert Context.current is outer
        with Location.unknown() as location:
            assert Location.current == location
    assert Context.current is None


def test_contexts_live_as_long_as_what_they_hold():
    context = Context()
    attribute = StringAttr.get("kept", context=context)
    del context
    gc.collect()
    assert attribute.value == "kept"
    assert attribute.context is attribute.type.context


def test_unregistered_dialects_are_allowed_on_request(ctx):
    with pytest.raises(MLIRError):
        Operation.parse('"foreign.op"() : () -> ()')
    ctx.allow_unregistered_dialects = True
    assert Operation.parse('"foreign.op"() : () -> ()').name == "foreign.op"
    assert ctx.is_registered_operation("func.func")
    assert not ctx.is_registered_operation("foreign.op")


def test_locations(ctx):
    file = Location.file("a.mlir", 3, 7)
    assert str(file) == 'loc("a.mlir":3:7)'
    assert (file.filename, file.start_line, file.start_col) == ("a.mlir", 3, 7)
    named = Location.name("x", file)
    assert named.is_a_name() and named.name_str == "x" and named.child_loc == file
    call = Location.callsite(file, [Location.file("b.mlir", 1, 1)])
    assert call.is_a_callsite() and call.callee == file
    fused = Location.fused([file, named])
    assert fused.is_a_fused() and fused.locations == [file, named]
    assert Location.unknown() != file
    assert eval(repr(str(file))) == str(file)


def test_diagnostics_reach_handlers(ctx):
    seen = []

    def handler(diagnostic):
        seen.append((diagnostic.severity, diagnostic.message, str(diagnostic.location)))
        return True

    attached = ctx.attach_diagnostic_handler(handler)
    Location.file("d.mlir", 1, 2).emit_error("wrong")
    assert seen == [(DiagnosticSeverity.ERROR, "wrong", 'loc("d.mlir":1:2)')]
    attached.detach()
    assert not attached.attached and not attached.had_error


def test_handlers_are_asked_from_the_last_to_the_first(ctx):
    seen = []
    ctx.attach_diagnostic_handler(lambda diagnostic: seen.append("first") or True)
    inner = ctx.attach_diagnostic_handler(lambda diagnostic: seen.append("second") or False)
    with inner:
        Location.unknown().emit_error("x")
    Location.unknown().emit_error("x")
    assert seen == ["second", "first", "first"]


def test_errors_of_the_parser_carry_diagnostics(ctx):
    with pytest.raises(MLIRError) as caught:
        Module.parse("func.func @f(")
    assert "Unable to parse module assembly" in str(caught.value)
    (diagnostic,) = caught.value.error_diagnostics
    assert diagnostic.severity == DiagnosticSeverity.ERROR
    assert diagnostic.location.start_line == 1


# -- Types ------------------------------------------------------------------------------------


def test_integer_and_float_types(ctx):
    assert str(IntegerType.get_signed(8)) == "si8"
    assert str(IntegerType.get_unsigned(16)) == "ui16"
    assert i(32).width == 32 and i(32).is_signless
    assert isinstance(Type.parse("index"), IndexType)
    assert [str(type.get()) for type in (F32Type, F64Type, BF16Type)] == ["f32", "f64", "bf16"]
    assert F32Type.get().width == 32
    assert Type.parse("i32") == i(32) and hash(Type.parse("i32")) == hash(i(32))
    assert isinstance(Type.parse("i32"), IntegerType)
    with pytest.raises(ValueError):
        IntegerType(F32Type.get())


def test_shaped_types(ctx):
    vector = VectorType.get([2, 4], F32Type.get())
    assert (vector.shape, vector.rank, vector.element_type) == ([2, 4], 2, F32Type.get())
    tensor = RankedTensorType.get([2, ShapedType.get_dynamic_size()], F32Type.get())
    assert str(tensor) == "tensor<2x?xf32>"
    assert tensor.is_dynamic_dim(1) and not tensor.has_static_shape
    assert tensor.get_dim_size(0) == 2
    assert str(UnrankedTensorType.get(F32Type.get())) == "tensor<*xf32>"
    memref = MemRefType.get([4, 8], F32Type.get(), memory_space=Attribute.parse("3"))
    assert str(memref) == "memref<4x8xf32, 3>"
    assert memref.get_strides_and_offset() == ([8, 1], 0)
    strided = MemRefType.get([4, 8], F32Type.get(), StridedLayoutAttr.get(0, [16, 1]))
    assert strided.get_strides_and_offset() == ([16, 1], 0)
    assert str(UnrankedMemRefType.get(F32Type.get(), None)) == "memref<*xf32>"
    with pytest.raises(MLIRError, match="Invalid type"):
        VectorType.get([0], F32Type.get())
    with pytest.raises(MLIRError, match="Invalid type"):
        MemRefType.get([1], NoneType.get())


def test_other_builtin_types(ctx):
    function = FunctionType.get([i(32), F32Type.get()], [i(1)])
    assert (function.inputs, function.results) == ([i(32), F32Type.get()], [i(1)])
    pair = TupleType.get_tuple([i(32), F32Type.get()])
    assert pair.num_types == 2 and pair.get_type(1) == F32Type.get()
    assert ComplexType.get(F32Type.get()).element_type == F32Type.get()


# -- Attributes -------------------------------------------------------------------------------


def test_simple_attributes(ctx):
    assert IntegerAttr.get(i(32), 42).value == 42
    assert IntegerAttr.get(IntegerType.get_signed(8), -1).value == -1
    assert FloatAttr.get_f32(0.5).value == 0.5
    assert float(FloatAttr.get(F64Type.get(), 2.0)) == 2.0
    assert BoolAttr.get(True).value is True
    assert StringAttr.get("text").value == "text" and StringAttr.get(b"text").value_bytes == b"text"
    assert TypeAttr.get(i(32)).value == i(32)
    assert FlatSymbolRefAttr.get("f").value == "f"
    assert str(UnitAttr.get()) == "unit"
    assert isinstance(Attribute.parse("3 : i8"), IntegerAttr)
    assert Attribute.parse('"x"') == StringAttr.get("x")
    named = StringAttr.get("x").get_named("key")
    assert (named.name, named.attr) == ("key", StringAttr.get("x"))
    with pytest.raises(MLIRError):
        FloatAttr.get(i(32), 1.0)


def test_containers_of_attributes(ctx):
    items = [StringAttr.get("a"), UnitAttr.get()]
    array = ArrayAttr.get(items)
    assert len(array) == 2 and array[0] == items[0] and list(array) == items
    assert list(array + [BoolAttr.get(False)])[2] == BoolAttr.get(False)
    table = DictAttr.get({"x": IntegerAttr.get(i(8), 1), "y": UnitAttr.get()})
    assert len(table) == 2 and "x" in table and table["x"].value == 1
    assert table[1].name == "y"
    with pytest.raises(KeyError):
        table["z"]
    with pytest.raises(IndexError):
        table[2]


def test_dense_attributes(ctx):
    assert list(DenseI64ArrayAttr.get([1, 2, 3])) == [1, 2, 3]
    assert DenseF32ArrayAttr.get([0.5])[0] == 0.5
    import numpy as np

    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    dense = DenseElementsAttr.get(array)
    assert str(dense.type) == "tensor<2x3xi32>"
    assert np.array_equal(np.array(dense), array)
    splat = DenseElementsAttr.get_splat(
        RankedTensorType.get([4], F32Type.get()), FloatAttr.get_f32(1.0)
    )
    assert splat.is_splat and splat.get_splat_value() == FloatAttr.get_f32(1.0)


# -- Affine -----------------------------------------------------------------------------------


def test_affine_expressions(ctx):
    d0, s0 = AffineExpr.get_dim(0), AffineExpr.get_symbol(0)
    assert str(d0 + 1) == "d0 + 1" and str(2 * s0) == "s0 * 2" and str(d0 % 4) == "d0 mod 4"
    assert str(AffineExpr.get_ceil_div(d0, 4)) == "d0 ceildiv 4"
    assert str(d0 - s0) == "d0 - s0"
    assert AffineDimExpr(d0).position == 0
    total = d0 + s0
    assert isinstance(total, AffineAddExpr) and (total.lhs, total.rhs) == (d0, s0)
    assert AffineConstantExpr.get(3).value == 3
    assert AffineExpr.get_constant(1) == AffineConstantExpr.get(1)
    assert AffineExpr.simplify_affine_expr(d0 + 0, 1, 0) == d0


def test_affine_maps(ctx):
    d0, d1 = AffineExpr.get_dim(0), AffineExpr.get_dim(1)
    transposed = AffineMap.get(2, 0, [d1, d0])
    assert AffineMapAttr.get(transposed) == Attribute.parse("affine_map<(d0, d1) -> (d1, d0)>")
    assert transposed.is_permutation and transposed == AffineMap.get_permutation([1, 0])
    assert AffineMap.get_identity(2).results[1] == d1
    assert str(AffineMap.get_constant(5)) == "() -> (5)"
    assert AffineMap.get_minor_identity(3, 1).n_dims == 3
    assert len(AffineMap.compress_unused_symbols([AffineMap.get(1, 2, [d0])], ctx)) == 1
    with pytest.raises(RuntimeError, match="Invalid expression"):
        AffineMap.get(1, 0, [None])


def test_integer_sets(ctx):
    d0 = AffineExpr.get_dim(0)
    positive = IntegerSet.get(1, 0, [d0 - 1], [False])
    assert positive.n_dims == 1 and positive.n_inequalities == 1
    assert not positive.is_canonical_empty
    assert IntegerSet.get_empty(1, 0).is_canonical_empty
    (constraint,) = positive.constraints
    assert not constraint.is_eq


# -- Operations -------------------------------------------------------------------------------


ADD = """
func.func @add(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}
"""


def test_modules(ctx):
    module = Module.parse(ADD)
    assert str(Module.parse(str(module))) == str(module)
    assert module.operation.verify()
    assert module.context is ctx
    assert isinstance(module.operation.opview, builtin.ModuleOp)
    empty = Module.create()
    assert len(empty.body.operations) == 0
    assert module.body.owner == module.operation


def test_printing(ctx):
    module = Module.parse(ADD)
    text = io.StringIO()
    module.operation.print(file=text, print_generic_op_form=True)
    assert '"func.func"() <{' in text.getvalue()
    assert "loc(" in module.operation.get_asm(enable_debug_info=True)
    binary = io.BytesIO()
    module.operation.write_bytecode(binary)
    assert str(Module.parse(binary.getvalue())) == str(module)


def test_operations_regions_blocks(ctx):
    module = Module.parse(ADD)
    function = module.body.operations[0]
    assert isinstance(function, func.FuncOp) and isinstance(function, OpView)
    (region,) = function.regions
    (block,) = region.blocks
    names = [op.operation.name for op in block]
    assert names == ["arith.addi", "func.return"]
    assert [str(argument.type) for argument in block.arguments] == ["i32", "i32"]
    assert function.operation.parent == module.operation
    assert block.region == region and block.owner == function.operation
    add, ret = block.operations
    assert add.operation.is_before_in_block(ret.operation)


def test_creating_and_changing_operations(ctx):
    ctx.allow_unregistered_dialects = True
    module = Module.create()
    with InsertionPoint(module.body):
        source = Operation.create(
            "test.source", results=[i(32), F32Type.get()], attributes={"k": UnitAttr.get()}
        )
        user = Operation.create("test.user", operands=[source.results[0]], regions=1)
    assert "k" in source.attributes and len(source.attributes) == 1
    source.attributes["n"] = IntegerAttr.get(i(8), 5)
    assert set(source.attributes) == {"k", "n"}
    del source.attributes["k"]
    assert "k" not in source.attributes
    user.operands[0] = source.results[0]
    assert len(user.regions) == 1
    clone = user.clone()
    assert clone != user
    InsertionPoint(user).insert(clone)
    user.move_before(clone)
    assert [op.name for op in module.body.operations] == ["test.source", "test.user", "test.user"]
    clone.erase()
    user.detach_from_parent()
    assert len(module.body.operations) == 1
    module.body.append(user)
    assert len(module.body.operations) == 2


def test_walking(ctx):
    module = Module.parse(ADD)
    seen = []

    def visit(op):
        seen.append(op.name)
        return WalkResult.ADVANCE

    module.operation.walk(visit)
    assert seen == ["arith.addi", "func.return", "func.func", "builtin.module"]


def test_values(ctx):
    module = Module.parse(ADD)
    block = module.body.operations[0].regions[0].blocks[0]
    argument, add = block.arguments[0], block.operations[0]
    assert (
        isinstance(argument, BlockArgument) and argument.arg_number == 0 and argument.owner == block
    )
    result = add.result
    assert isinstance(result, OpResult) and isinstance(result, Value)
    assert result.owner == add.operation and result.result_number == 0
    assert [(use.owner.name, use.operand_number) for use in result.uses] == [("func.return", 0)]
    result.replace_all_uses_with(argument)
    assert list(result.uses) == []
    assert argument.get_name() == "%arg0"
    block.arguments[1].set_type(i(64))
    assert block.arguments[1].type == i(64)


def test_blocks(ctx):
    ctx.allow_unregistered_dialects = True
    outer = Operation.create("test.region", regions=1)
    first = Block.create_at_start(outer.regions[0], [i(32)])
    second = first.create_after(F32Type.get())
    assert list(outer.regions[0].blocks) == [first, second]
    assert second.create_before() in list(outer.regions[0].blocks)
    first.add_argument(F32Type.get(), Location.unknown())
    assert len(first.arguments) == 2
    first.erase_argument(0)
    assert first.arguments[0].type == F32Type.get()


def test_insertion_points(ctx):
    ctx.allow_unregistered_dialects = True
    module = Module.create()

    def op(name):
        return Operation.create(f"test.{name}")

    with InsertionPoint(module.body):
        last = op("last")
    with InsertionPoint.at_block_begin(module.body):
        op("first")
    with InsertionPoint(last):
        op("middle")
    InsertionPoint.after(last).insert(Operation.create("test.end", ip=False))
    assert [each.name for each in module.body.operations] == [
        "test.first",
        "test.middle",
        "test.last",
        "test.end",
    ]
    with pytest.raises(ValueError, match="No current InsertionPoint"):
        _ = InsertionPoint.current


def test_symbol_tables(ctx):
    module = Module.parse(ADD + "func.func private @other()")
    table = SymbolTable(module.operation)
    assert "add" in table and "none" not in table
    assert table["add"] == module.body.operations[0]
    SymbolTable.set_symbol_name(table["other"], "renamed")
    assert SymbolTable.get_symbol_name(module.body.operations[1]).value == "renamed"
    assert SymbolTable.get_visibility(module.body.operations[1]).value == "private"
    SymbolTable.replace_all_symbol_uses("add", "plus", module.operation)
    table.erase(module.body.operations[0])
    assert "add" not in table
    with pytest.raises(KeyError):
        table["add"]


def test_verification_names_the_operation(ctx):
    module = Module.parse(ADD)
    module.body.operations[0].attributes["function_type"] = TypeAttr.get(FunctionType.get([], []))
    with pytest.raises(MLIRError, match="entry block must have 0 arguments"):
        module.operation.verify()


def test_result_types_are_inferred(ctx):
    module = Module.create()
    with InsertionPoint(module.body):
        one = arith.ConstantOp(i(32), 1)
        assert arith.AddIOp(one, one).result.type == i(32)
        compared = arith.cmpi(arith.CmpIPredicate.slt, one, one)
        assert compared.type == i(1)
    assert module.operation.verify()


# -- Passes and rewriting ---------------------------------------------------------------------


def test_pass_managers(ctx):
    passes = PassManager.parse("builtin.module(func.func(canonicalize),cse)")
    assert str(passes).startswith("builtin.module(func.func(canonicalize")
    module = Module.parse(
        "func.func @f() -> i32 { %a = arith.constant 1 : i32 "
        "%b = arith.addi %a, %a : i32 return %b : i32 }"
    )
    passes.run(module.operation)
    assert "arith.constant 2" in str(module)
    built = PassManager()
    built.add("canonicalize")
    assert "canonicalize" in str(built)
    with pytest.raises(ValueError, match="does not refer to a registered pass"):
        PassManager.parse("builtin.module(nothing)")


def test_rewriting(ctx):
    from mlir_tile.rewrite import RewritePatternSet, apply_patterns_and_fold_greedily

    def to_shift(op, rewriter):
        with rewriter.ip:
            shifted = arith.ShLIOp(op.operands[0], arith.ConstantOp(i(32), 1))
        rewriter.replace_op(op, shifted)

    def doubled(op, rewriter):
        if op.operands[0] != op.operands[1]:
            return True  # no match
        return to_shift(op, rewriter)

    patterns = RewritePatternSet()
    patterns.add(arith.AddIOp, doubled)
    module = Module.parse(
        "func.func @f(%a: i32) -> i32 { %b = arith.addi %a, %a : i32 return %b : i32 }"
    )
    apply_patterns_and_fold_greedily(module, patterns.freeze())
    assert "arith.shli" in str(module) and "arith.addi" not in str(module)


def test_scf_of_upstream_style(ctx):
    module = Module.create()
    with InsertionPoint(module.body):

        @func.FuncOp.from_py_func(IndexType.get())
        def count(n):
            zero, one = (arith.constant(IndexType.get(), value) for value in (0, 1))
            loop = scf.ForOp(zero, n, one, [zero])
            with InsertionPoint(loop.body):
                scf.YieldOp([arith.addi(loop.inner_iter_args[0], one)])
            return loop.results[0]

    assert module.operation.verify()
    assert "scf.for" in str(module)
