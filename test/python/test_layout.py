# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts as objects: who holds what, what conflicts, pictures, layouts of a kernel."""

import pathlib
import xml.etree.ElementTree as xml

import pytest

from mlir_tile import ir, layout

ACCUMULATOR = (
    "#tile.fragment_layout<shape [16, 8] reg [(2, 1:1), (2, 0:8)] "
    "lane [(4, 1:2), (8, 0:1)] warp []>"
)
GEMM = "examples/gemm.mlir"


ROOT = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def test_a_fragment_and_its_holders():
    acc = layout.fragment(ACCUMULATOR)
    assert acc.shape == (16, 8)
    assert (acc.threads, acc.registers, acc.replication) == (32, 4, 1)
    assert acc.holder(0, 0) == (0, 0)
    assert acc.holder(9, 3) == acc.holder((9, 3)) == (5, 3)
    assert acc.elements(5) == [(1, 2), (1, 3), (9, 2), (9, 3)]
    held = [element for thread in range(32) for element in acc.elements(thread)]
    assert sorted(held) == [(i, j) for i in range(16) for j in range(8)]
    with pytest.raises(IndexError):
        acc.holder(16, 0)
    with pytest.raises(IndexError):
        acc.element(32, 0)


def test_a_fragment_held_twice():
    both = layout.fragment(
        "#tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp [(2, *)]>"
    )
    assert both.replication == 2
    assert both.holders(7) == [(7, 0), (39, 0)]


def test_a_fragment_that_overshoots():
    some = layout.blocked((7, 5), threads=64)
    assert None in some.elements(63)
    assert all(some.holders(i, j) for i in range(7) for j in range(5))


def test_cute_notation():
    acc = layout.fragment("((4,8),(2,2)):((2@1,1@0),(1@1,8@0))", shape=(16, 8))
    assert acc == layout.fragment(ACCUMULATOR)
    assert acc.cute == "((4,8),(2,2)):((2@1,1@0),(1@1,8@0))"
    assert layout.fragment(acc.notation) == acc
    swizzled = layout.shared("Sw<3,3,3> o (128,64):(64,1)")
    assert swizzled.swizzle == (3, 4, 3)
    assert swizzled.cute == "Sw<3,3,3> o (128,64):(64,1)"
    with pytest.raises(ValueError, match="expected a shape"):
        layout.fragment("((4,8),(2,2)):((2@1,1@0),(1@1,8@0))")
    with pytest.raises(ValueError, match="column"):
        layout.shared("(128,64):(64")


def test_shared_memory():
    plain = layout.row_major((64, 64), 16)
    swizzled = layout.swizzled((64, 64), 16)
    assert plain.offset(1, 2) == 2 * 66
    assert plain.size == 8192
    assert plain.bank(0, 2) == 1
    assert plain.matrix_conflicts() == 8
    assert swizzled.matrix_conflicts() == 1
    assert layout.row_major((64, 64), 16, padding=8).matrix_conflicts() == 1
    rows = layout.blocked((64, 64), threads=128, vector=8)
    assert swizzled.widest_vector(rows) == 8
    assert swizzled.bank_conflicts(rows) == 1
    columns = layout.blocked((64, 64), threads=128, vector=1, order=[0, 1])
    assert plain.bank_conflicts(columns, dim=1) == 32
    with pytest.raises(ValueError, match="one shape"):
        plain.bank_conflicts(layout.blocked((32, 32)))
    with pytest.raises(ValueError, match="power of two, at most 8, got 3"):
        swizzled.bank_conflicts(rows, vector=3)
    with pytest.raises(IndexError):
        plain.offset(64, 0)


def test_conversions():
    acc = layout.fragment(ACCUMULATOR)
    assert acc.conversion(acc)[0] == "identity"
    kind, reason = acc.conversion(layout.blocked((16, 8), threads=32))
    assert kind in ("warp_shuffle", "shared_memory")
    assert reason
    with pytest.raises(ValueError, match="one shape"):
        acc.conversion(layout.blocked((8, 8), threads=32))


@pytest.mark.parametrize(
    "made",
    [
        lambda: layout.fragment(ACCUMULATOR),
        lambda: layout.swizzled((128, 64), 16),
        lambda: layout.blocked((1024, 1024), threads=256, vector=4),
        lambda: layout.row_major((4096, 128), 8),
    ],
)
def test_pictures_are_small_and_well_formed(made):
    svg = made()._repr_svg_()
    assert len(svg) <= 1 << 20
    assert xml.fromstring(svg).tag.endswith("svg")


def test_pictures_in_files(tmp_path):
    path = tmp_path / "acc.svg"
    acc = layout.fragment(ACCUMULATOR)
    acc.draw(path)
    assert path.read_text() == acc.draw()


def test_text():
    acc = layout.fragment(ACCUMULATOR)
    assert "each thread holds 4 elements" in str(acc)
    assert "CuTe: ((4,8),(2,2))" in str(acc)
    assert repr(acc) == f"FragmentLayout({ACCUMULATOR!r})"


def test_kinds_are_not_mixed_up():
    with pytest.raises(TypeError, match="expected a SharedLayout"):
        layout.shared(ACCUMULATOR)
    with pytest.raises(TypeError, match="expected a layout"):
        layout.fragment(42)
    with pytest.raises(ValueError, match="expected a layout, got '#tile.nothing'"):
        layout.fragment("#tile.nothing")
    with pytest.raises(ValueError, match="multiple of 32 threads"):
        layout.blocked((8, 8), threads=33)
    with pytest.raises(ValueError, match="power of two up to 64, got 12"):
        layout.swizzled((8, 8), 12)


def test_layouts_of_a_kernel_by_name():
    found = layout.layouts(read(GEMM), "sm_90a")
    assert set(found) == {"As", "Bs", "acc"}
    assert isinstance(found["As"], layout.SharedLayout)
    assert found["As"].matrix_conflicts() == 1
    assert found["acc"].shape == (128, 128)
    assert found["acc"].threads == 128
    assert found["acc"].name == "acc"
    assert "a 128x128 tile over 128 threads" in str(found["acc"])
    assert layout.layouts(read(GEMM), "sm_80")["acc"] != found["acc"]


def test_layouts_of_a_module_and_of_a_kernel():
    with ir.Context():
        module = ir.Module.parse(read(GEMM))
        before = str(module)
        by_module = layout.layouts(module, "sm_90a")
        by_kernel = layout.layouts(module.body.operations[0], "sm_90a")
        assert str(module) == before
    assert list(by_module) == list(by_kernel)
    assert by_module["line 23"] == layout.layouts(read(GEMM), "sm_90a")["acc"]


def test_names_of_locations_win():
    text = read(GEMM).replace(
        "%acc = tile.alloc : memref<128x128xf32, #tile.fragment>",
        '%acc = tile.alloc : memref<128x128xf32, #tile.fragment> loc("sum"("kernel.py":7:3))',
    )
    assert "sum" in layout.layouts(text, "sm_80")


def test_layouts_of_tuned_kernels():
    text = read("examples/gemm_tunable.mlir")
    small = layout.layouts(text, "sm_90a", shape_hints={"A": [256, 256], "B": [256, 256]})
    assert all(isinstance(each, layout.BufferLayout) for each in small.values())


def test_refusals_name_the_place():
    wrong = "tile.kernel @f(%x: memref<4xf32>) grid(%b) = (1) threads(33) {\n}"
    with pytest.raises(Exception, match=r"source:1:1: error: .*kernel-2") as caught:
        layout.layouts(wrong, "sm_80")
    assert type(caught.value).__name__ == "CompileError"
    with pytest.raises(Exception, match="source:1:1: error"):
        layout.layouts("%% nonsense", "sm_80")
    with pytest.raises(ValueError, match="expected a kernel among .'gemm'., got 'mma'"):
        layout.layouts(read(GEMM), "sm_80", kernel="mma")
    with pytest.raises(TypeError, match="expected MLIR text, a module or a tile.kernel, got int"):
        layout.layouts(3, "sm_80")
