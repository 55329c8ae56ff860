# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words of 32 to 256 bits as values, places as pointers, numbers by their bits; against numpy."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel
from mlir_tile.language.errors import LanguageError

rng = np.random.default_rng(0)
TARGETS = ["cpu", "lowered:sm_90a"]


def run(function, *arrays, target="cpu"):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int64"])
@pytest.mark.parametrize("bits", [64, 128, 256])
def test_words_are_copied(dtype, bits, target):
    count = bits // np.dtype(dtype).itemsize // 8

    @T.prim_func
    def main(A: T.Tensor((32, count), dtype), B: T.Tensor((32, count), dtype)):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            words = getattr(T, f"ldg{bits}")(A[tx, 0])
            getattr(T, f"stg{bits}")(B[tx, 0:count], words)

    a = rng.integers(0, 100, (32, count)).astype(dtype)
    np.testing.assert_array_equal(run(main, a, np.zeros_like(a), target=target), a)


def test_words_are_bits():
    @T.prim_func
    def main(A: T.Tensor((64,), "float16"), B: T.Tensor((32,), "uint32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            B[tx] = T.ldg32(A[tx * 2 : tx * 2 + 2])

    a = rng.standard_normal(64).astype(np.float16)
    np.testing.assert_array_equal(run(main, a, np.zeros(32, np.uint32)), a.view(np.uint32))


@pytest.mark.parametrize("target", TARGETS)
def test_words_under_conditions(target):
    @T.prim_func
    def main(A: T.Tensor((40,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            words = T.ldg64(A[tx * 2], pred=tx < 20)
            T.stg64(B[tx * 2], words, pred=tx % 2 == 0)

    a, b = np.arange(1, 41, dtype=np.int32), np.full(64, -1, np.int32)
    expected = np.full((32, 2), -1)
    expected[::2] = 0
    expected[:20:2] = a.reshape(20, 2)[::2]
    np.testing.assert_array_equal(run(main, a, b, target=target), expected.ravel())


def test_words_in_shared_memory():
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            S = T.alloc_shared((128,), "float32")
            T.sts128(S[tx * 4], T.ldg128(A[tx * 4]))
            T.sync_threads()
            T.stg128(B[tx * 4], T.lds128(S[(31 - tx) * 4]))

    a = rng.standard_normal(128).astype(np.float32)
    expected = a.reshape(32, 4)[::-1].ravel()
    np.testing.assert_array_equal(run(main, a, np.zeros_like(a)), expected)


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda A: T.lds32(A[0]), "T.lds32: expected an element in shared memory, got A"),
        (lambda A: T.ldg32(3), "T.ldg32: expected a buffer, a slice or an element of one, got 3"),
        (lambda A: T.stg64(A[0], 1), "T.stg64: expected 2 values of 32 bits, got 1"),
        (lambda A: T.__fns(1, 0, -1), "T.__fns with a negative offset"),
    ],
)
def test_what_is_no_word(use, message):
    with pytest.raises(T.LanguageError, match="test_language_words.py:") as error:

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=32):
                use(A)

    assert message in str(error.value)


def test_places_of_elements():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            T.atomic_add(T.access_ptr(B[0], "rw"), A[tx])
            T.atomic_add(T.address_of(B[1]), 1.0)
            T.atomic_add(T.access_ptr(B, "rw", 1, offset=2), T.__ldg(A[tx]) * 2.0)
            T.atomic_add(T.access_ptr(B[1:3], "rw", offset=2), T.__ldg(A, tx))

    a = np.arange(64, dtype=np.float32)
    b = run(main, a, np.zeros(4, np.float32))
    np.testing.assert_array_equal(b, [a.sum(), 64, 2 * a.sum(), a.sum()])


def test_bits_are_found():
    masks = np.array([0, 1, 0b1011000, 0x80000000, 0xFFFFFFFF, 0b110], np.uint32)
    masks = np.resize(masks, 32)

    @T.prim_func
    def main(
        A: T.Tensor((32,), "uint32"),
        B: T.Tensor((32,), "int32"),
        C: T.Tensor((5, 32), "uint32"),
    ):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            B[tx] = T.__ffs(A[tx])
            C[0, tx] = T.__fns(A[tx], 0, 1)
            C[1, tx] = T.__fns(A[tx], 2, 2)
            C[2, tx] = T.__fns(A[tx], 4, 0)
            C[3, tx] = T.__fns(A[tx], 0, tx % 3)
            C[4, tx] = T.cast(T.__ffs(T.cast(A[tx], "uint64") << 8), "uint32")

    b, c = np.zeros(32, np.int32), np.zeros((5, 32), np.uint32)
    run(main, masks, b, c)

    def nth(mask, base, offset):
        places = [i for i in range(base, 32) if int(mask) >> i & 1]
        if offset == 0:
            return base if places[:1] == [base] else 2**32 - 1
        return places[offset - 1] if len(places) >= offset else 2**32 - 1

    for i, mask in enumerate(masks):
        assert b[i] == (int(mask) & -int(mask)).bit_length()
        assert [*c[:4, i]] == [
            nth(mask, 0, 1),
            nth(mask, 2, 2),
            nth(mask, 4, 0),
            nth(mask, 0, i % 3),
        ]
        assert c[4, i] == (b[i] + 8 if b[i] else 0)


def test_fast_functions_are_there():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((3, 64), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                B[0, i] = T.__log2(A[i])
                B[1, i] = T.__log10(A[i])
                B[2, i] = T.__exp10(A[i])

    a = rng.uniform(0.1, 2, 64).astype(np.float32)
    b = run(main, a, np.zeros((3, 64), np.float32))
    np.testing.assert_allclose(b, [np.log2(a), np.log10(a), 10**a], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "kind, fold",
    [("bitxor", np.bitwise_xor), ("bitor", np.bitwise_or), ("bitand", np.bitwise_and)],
)
def test_reducers_of_bits(kind, fold, target):
    @T.prim_func
    def main(A: T.Tensor((64, 8), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=64):
            r = T.alloc_reducer((8,), "int32", kind)
            T.reducer_init(r)
            for i, j in T.Parallel(64, 8):
                T.reducer_update(r[j], A[i, j])
            T.finalize_reducer(r, B)

    a = rng.integers(-(2**31), 2**31, (64, 8)).astype(np.int32)
    b = run(main, a, np.zeros(8, np.int32), target=target)
    np.testing.assert_array_equal(b, fold.reduce(a, axis=0))


@pytest.mark.parametrize("target", TARGETS)
def test_places_by_an_offset_from_the_first_element(target):
    """T.tvm_access_ptr counts elements in row-major order; a row that ends inside is not copied."""
    rows, columns, padded, piece = 6, 40, 64, 4

    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float32"), B: T.Tensor((8, padded), "float32")):
        with T.Kernel(1, threads=32):
            tile = T.alloc_shared((8, padded), "float32")
            kind = T.type_annotation("float32")
            for i, j in T.Parallel(8, padded // piece):
                column = j * piece
                T.ptx_cp_async(
                    T.tvm_access_ptr(kind, tile.data, i * padded + column, piece, 2),
                    T.tvm_access_ptr(kind, A.data, i * columns + column, piece, 1),
                    piece,
                    predicate=T.And(i < rows, column + piece <= columns),
                )
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for i, j in T.Parallel(8, padded):
                B[i, j] = tile[i, j]

    a = rng.standard_normal((rows, columns)).astype(np.float32)
    want = np.zeros((8, padded), np.float32)
    want[:rows, :columns] = a
    got = run(main, a, np.ones((8, padded), np.float32), target=target)
    np.testing.assert_array_equal(got, want)


def test_an_offset_goes_on_in_the_next_row():
    @T.prim_func
    def main(A: T.Tensor((4, 6), "float32"), B: T.Tensor((4, 6), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.serial(3):
                T.atomic_add(T.access_ptr(B[1, 4], "rw", offset=i * 5), A[i, 0])

    a = np.arange(1, 25, dtype=np.float32).reshape(4, 6)
    want = np.zeros(24, np.float32)
    want[[10, 15, 20]] = a[:3, 0]
    got = run(main, a, np.zeros((4, 6), np.float32))
    np.testing.assert_array_equal(got, want.reshape(4, 6))


def test_an_offset_is_in_elements_of_the_buffer():
    with pytest.raises(LanguageError, match="T.tvm_access_ptr in elements of uint8 of A"):

        @T.prim_func
        def main(A: T.Tensor((4, 6), "float32"), B: T.Tensor((4, 6), "float32")):
            with T.Kernel(1, threads=32):
                T.atomic_add(T.tvm_access_ptr(T.type_annotation("uint8"), A, 0, 1, 3), 1.0)
