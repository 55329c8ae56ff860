# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dialects beside tile, built as programs for MLIR's own bindings build them."""

import pytest
from mlir_tile.ir import (
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
    ArrayAttr,
    Attribute,
    Context,
    DenseElementsAttr,
    F16Type,
    F32Type,
    FunctionType,
    IndexType,
    InsertionPoint,
    IntegerType,
    Location,
    MemRefType,
    Module,
    UnitAttr,
    Value,
    VectorType,
)  # fmt: skip

from mlir_tile.dialects import (
    affine,
    arith,
    cf,
    func,
    gpu,
    index,
    llvm,
    math,
    memref,
    nvgpu,
    nvvm,
    scf,
    vector,
)  # fmt: skip


@pytest.fixture
def module():
    with Context(), Location.unknown():
        module = Module.create()
        with InsertionPoint(module.body):
            yield module


def built(module, *fragments):
    """The module verifies, prints what is expected, and reads back."""
    assert module.operation.verify()
    text = str(module)
    for fragment in fragments:
        assert fragment in text, text
    assert str(Module.parse(text)) == text


def i(width):
    return IntegerType.get_signless(width)


def test_func(module):
    declared = func.FuncOp("declared", ([i(32)], []), visibility="private")
    assert declared.is_external and declared.visibility.value == "private"

    @func.FuncOp.from_py_func(i(32), i(32), results=[i(32)])
    def explicit(a, b):
        func.ReturnOp([arith.AddIOp(a, b)])

    @func.func(i(32))
    def implicit(a):
        return explicit(a, a)

    called = func.FuncOp("calls", FunctionType.get([i(32)], []))
    called.arg_attrs = ArrayAttr.get([Attribute.parse("{x.y}")])
    with InsertionPoint(called.add_entry_block()):
        func.CallOp(declared, [called.arguments[0]])
        func.CallOp([i(32)], "explicit", [called.arguments[0]] * 2)
        func.ReturnOp([])
    built(
        module,
        "func.func private @declared(i32)",
        "call @explicit(%arg0, %arg0)",
        "call @declared(%arg0)",
        "return %0 : i32",
    )
    with pytest.raises(IndexError, match="already has an entry block"):
        called.add_entry_block()


def test_arith(module):
    one = arith.constant(i(32), 1)
    assert arith.ConstantOp(i(32), 7).literal_value == 7
    half = arith.ConstantOp(F32Type.get(), 0.5)
    assert half.literal_value == 0.5
    arith.addf(half, half, fastmath=arith.FastMathFlags.nnan | arith.FastMathFlags.ninf)
    arith.ConstantOp.create_index(4)
    arith.cmpf(arith.CmpFPredicate.OLT, half, half)
    arith.select(arith.constant(i(1), 1), one, one)
    arith.trunci(i(8), one, overflow_flags=arith.IntegerOverflowFlags.nsw)
    built(
        module,
        "fastmath<nnan,ninf>",
        "arith.cmpf olt",
        "arith.select",
        "overflow<nsw>",
        "4 : index",
    )


def test_values_of_own_classes(module):
    """Value casters and builders that users add, as in upstream's `extras`."""
    from mlir_tile.ir import register_value_caster

    type = F16Type.get()

    @register_value_caster(type.static_typeid)
    class Half(Value):
        def __init__(self, v):
            super().__init__(v)

        def __add__(self, other):
            return arith.addf(self, other)

    total = arith.constant(type, 1.0) + arith.constant(type, 2.0)
    assert isinstance(total, Half)
    built(module, "arith.addf")


def test_math_and_index(module):
    x = arith.constant(F32Type.get(), 2.0)
    math.exp2(math.rsqrt(math.fma(x, x, x)))
    math.powf(x, math.absf(x))
    a = index.ConstantOp(value=5)
    index.add(a, a)
    index.ceildivs(a, index.SizeOfOp())
    index.cmp(index.IndexCmpPredicate.SLT, a, a)
    built(module, "math.fma", "math.exp2", "index.ceildivs", "index.cmp slt")


def test_scf(module):
    @func.func(IndexType.get(), IndexType.get(), i(1))
    def loops(low, high, flag):
        one = arith.constant(IndexType.get(), 1)
        for iv, carried, final in scf.for_(low, high, one, iter_args=[one]):  # noqa: B007
            scf.yield_([arith.addi(iv, carried)])
        with_else = scf.IfOp(flag, [IndexType.get()], has_else=True)
        with InsertionPoint(with_else.then_block):
            scf.YieldOp([final])
        with InsertionPoint(with_else.else_block):
            scf.YieldOp([one])
        loop = scf.WhileOp([IndexType.get()], [low])
        before = loop.before.blocks.append(IndexType.get())
        with InsertionPoint(before):
            scf.ConditionOp(flag, before.arguments)
        after = loop.after.blocks.append(IndexType.get())
        with InsertionPoint(after):
            scf.YieldOp(after.arguments)
        return loop.results[0]

    built(
        module,
        "scf.for %arg3 = %arg0 to %arg1 step %c1 iter_args",
        "scf.if %arg2 -> (index)",
        "scf.while",
    )


def test_loops_over_iterables(module):
    @func.func(MemRefType.get([8], F32Type.get()))
    def fill(buffer):
        for iv in scf.for_(0, 8, 1):
            memref.store(arith.constant(F32Type.get(), 0.0), buffer, [iv])
            scf.yield_([])

    built(module, "memref.store %cst, %arg0[%arg1]", "scf.for")


def test_cf(module):
    function = func.FuncOp("branches", ([i(1)], []))
    entry = function.add_entry_block()
    then, other = (entry.create_after() for _ in range(2))
    with InsertionPoint(entry):
        cf.cond_br(function.arguments[0], [], [], then, other)
    with InsertionPoint(then):
        cf.br([], other)
    with InsertionPoint(other):
        func.return_([])
    built(module, "cf.cond_br %arg0", "cf.br ^bb")


def test_affine(module):
    d0, s0 = AffineExpr.get_dim(0), AffineExpr.get_symbol(0)

    @func.func(MemRefType.get([12, 12], F32Type.get()), IndexType.get())
    def loads(buffer, n):
        row = affine.AffineApplyOp(AffineMap.get(1, 1, [d0 + s0]), [n, n])
        identity = AffineMap.get_identity(2)
        value = affine.AffineLoadOp(F32Type.get(), buffer, [row, n], AffineMap.get_identity(2))
        affine.AffineStoreOp(value, buffer, [n, n], identity)
        loop = affine.AffineForOp(0, 12, 2)
        with InsertionPoint(loop.body):
            affine.AffineYieldOp([])
        for iv in affine.for_(0, n, 1):
            memref.load(buffer, [iv, iv])
            affine.yield_([])

    assert AffineConstantExpr.get(1).value == 1
    built(
        module,
        "affine.apply",
        "affine.load %arg0",
        "affine.store",
        "affine.for %arg2 = 0 to 12 step 2",
    )


def test_memref(module):
    @func.func(MemRefType.get([10, 22], F32Type.get()))
    def views(buffer):
        part = memref.subview(buffer, [0, 1], [5, 2], [1, 1])
        assert str(part.type) == "memref<5x2xf32, strided<[22, 1], offset: 1>>"
        made = memref.alloc(MemRefType.get([4], F32Type.get()), [], [])
        memref.DeallocOp(made)
        memref.DimOp(buffer, arith.constant(IndexType.get(), 0))
        memref.load(part, [arith.constant(IndexType.get(), 0)] * 2)

    built(module, "memref.subview %arg0[0, 1] [5, 2] [1, 1]", "memref.alloc()", "memref.dealloc")


def test_vector(module):
    four = VectorType.get([4], F32Type.get())

    @func.func(MemRefType.get([16], F32Type.get()), VectorType.get([4, 4], F32Type.get()))
    def vectors(buffer, matrix):
        zero = arith.constant(IndexType.get(), 0)
        loaded = vector.LoadOp(four, buffer, [zero])
        row = vector.ExtractOp(matrix, [], [1])
        both = vector.ShuffleOp(loaded, row, [0, 1, 4, 5])
        vector.ReductionOp(F32Type.get(), vector.CombiningKind.ADD, both)
        vector.StoreOp(both, buffer, [zero])
        vector.BroadcastOp(four, arith.constant(F32Type.get(), 1.0))

    built(module, "vector.shuffle", "vector.reduction <add>", "vector.load", "vector.extract")


def test_dense_vectors(module):
    import numpy as np

    type = VectorType.get([4], F32Type.get())
    arith.ConstantOp(type, DenseElementsAttr.get(np.full(4, 0.5, np.float32), type=type))
    built(module, "dense<5.000000e-01> : vector<4xf32>")


def test_gpu(module):
    module.operation.attributes["gpu.container_module"] = UnitAttr.get()
    inside = gpu.GPUModuleOp("kernels")
    block = inside.bodyRegion.blocks.append()
    with InsertionPoint(block):

        def body(op):
            gpu.thread_id(gpu.Dimension.x)
            gpu.barrier()
            gpu.return_([])

        gpu.GPUFuncOp(
            FunctionType.get([], []),
            "kernel",
            body_builder=body,
            kernel=True,
            known_block_size=[32, 1, 1],
        )
    built(module, "gpu.module @kernels", "gpu.func @kernel() kernel", "gpu.thread_id  x")
    assert isinstance(Attribute.parse("#gpu.address_space<workgroup>"), Attribute)
    assert str(gpu.AsyncTokenType.get()) == "!gpu.async.token"


def test_nvvm_and_llvm(module):
    pointer = llvm.PointerType.get()
    assert str(pointer) == "!llvm.ptr"
    struct = llvm.StructType.get_literal([i(8), pointer])
    assert struct.body == [i(8), pointer]
    assert llvm.StructType.get_identified("named").opaque
    one = llvm.ConstantOp(i(32), Attribute.parse("1 : i32"))
    llvm.add(one.res, one.res, llvm.IntegerOverflowFlags.nsw)
    nvvm.cp_async_wait_group(5)
    nvvm.read_ptx_sreg_tid_x(i(32))
    built(module, "llvm.add", "nvvm.cp.async.wait.group 5", "nvvm.read.ptx.sreg.tid.x")


def test_nvgpu(module):
    type = MemRefType.get([128, 64], F16Type.get(), memory_space=Attribute.parse("3"))
    descriptor = nvgpu.TensorMapDescriptorType.get(
        type, nvgpu.TensorMapSwizzleKind.SWIZZLE_128B, nvgpu.TensorMapL2PromoKind.L2PROMO_256B,
        nvgpu.TensorMapOOBKind.OOB_NAN, nvgpu.TensorMapInterleaveKind.INTERLEAVE_NONE,
    )  # fmt: skip
    assert "swizzle = swizzle_128b" in str(descriptor)
    with pytest.raises(TypeError):
        nvgpu.TensorMapDescriptorType.get(type)
