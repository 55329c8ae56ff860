# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device functions of CUDA C++ in a kernel: T.import_source, T.call_extern; against numpy."""

import numpy as np
import pytest

import mlir_tile.language as T
from mlir_tile.jit import compile as compile_kernel

rng = np.random.default_rng(0)
TARGETS = ["cpu", "lowered:sm_90a"]


def run(function, *arrays, target="cpu"):
    compile_kernel(function, target=target)(*arrays)
    return arrays[-1]


def calling(source, name, a, b, kinds, *more):
    """A kernel in which each of 32 threads calls a function on `a` elements that it reads and `b`
    that it writes."""

    @T.prim_func
    def main(A: T.Tensor((32, a), kinds[0]), B: T.Tensor((32, b), kinds[1])):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            x, y = T.alloc_local((a,), kinds[0]), T.alloc_local((b,), kinds[1])
            T.import_source(source)
            for i in T.serial(a):
                x[i] = A[tx, i]
            for i in T.serial(b):
                y[i] = B[tx, i]
            T.call_extern("handle", name, T.access_ptr(x, "r"), T.access_ptr(y, "w"), *more)
            for i in T.serial(b):
                B[tx, i] = y[i]

    return main


# Eight numbers of four bits as halves: 1024 + n has n in its last bits.
NIBBLES = """
#include <cuda_fp16.h>
template <typename In, typename Out, bool isSigned = false>
__device__ void nibbles(In *in, Out *out, const int count = 8) {
  unsigned int *words = reinterpret_cast<uint *>(out);
  static constexpr uint table = (0xf0 & 0xcc) | 0xaa;  // (a & b) | c
  constexpr uint middle = isSigned ? 0x64086408 : 0x64006400;
  uint const all = *(uint *)&in[0];
  #pragma unroll
  for (int i = 0; i < (count / 2); i++) {
    asm volatile("lop3.b32 %0, %1, %2, %3, %4;\\n"
                 : "=r"(words[i]) : "r"(all >> (4 * i)), "n"(0x000f000f), "n"(0x64006400), "n"(table));
    asm volatile("sub.f16x2 %0, %1, %2;" : "=r"(words[i]) : "r"(words[i]), "r"(middle));
  }
}
/* and the signed
   ones */
template <typename In, typename Out>
__device__ __forceinline__ void signed_nibbles(In *in, Out *out) { nibbles<In, Out, true>(in, out, 8); }
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name, less", [("nibbles", 0), ("signed_nibbles", 8)])
def test_functions_decode_numbers_of_four_bits(name, less, target):
    a = rng.integers(0, 256, (32, 4)).astype(np.uint8)
    kernel = calling(NIBBLES, name, 4, 8, ("uint8", "float16"))
    b = run(kernel, a, np.zeros((32, 8), np.float16), target=target)
    words = a.view(np.uint32)[:, 0]
    expected = np.zeros((32, 8))
    for i in range(4):
        expected[:, 2 * i] = (words >> (4 * i) & 15).astype(int) - less
        expected[:, 2 * i + 1] = (words >> (4 * i + 16) & 15).astype(int) - less
    np.testing.assert_array_equal(b, expected)


SCRATCH = """
__device__ void doubled_and_more(int *in, int *out) {
  uint sum, spare, other;
  asm volatile("add.u32 %2, %1, %1; mov.b32 %3, 7; add.u32 %0, %2, %3;"
               : "=r"(sum) : "r"(*(uint*)in), "r"(spare), "r"(other));
  out[0] = sum;
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_inline_assembly_works_in_variables_that_nothing_has_written(target):
    a = rng.integers(0, 1000, (32, 1)).astype(np.int32)
    kernel = calling(SCRATCH, "doubled_and_more", 1, 1, ("int32", "int32"))
    b = run(kernel, a, np.zeros((32, 1), np.int32), target=target)
    np.testing.assert_array_equal(b, 2 * a + 7)


@pytest.mark.parametrize("target", TARGETS)
def test_signs_of_narrow_integers_give_an_int(target):
    text = "__device__ void f(unsigned char *in, int *out) { out[0] = ~in[0]; out[1] = -in[0]; }"
    a = rng.integers(0, 256, (32, 1)).astype(np.uint8)
    b = run(calling(text, "f", 1, 2, ("uint8", "int32")), a, np.zeros((32, 2), np.int32), target=target)
    wide = a.astype(np.int32)
    np.testing.assert_array_equal(b, np.concatenate((~wide, -wide), 1))


def assembly(instruction, inputs=2):
    """A function that runs one instruction on words."""
    given = ", ".join(f'"r"(in[{i}])' for i in range(inputs))
    return (
        f'__device__ void f(uint *in, uint *out) {{ asm("{instruction}" : "=r"(*out) : {given}); }}'
    )


def rotate(a, by):
    return np.uint32((int(a) >> by | int(a) << (32 - by)) & 0xFFFFFFFF)


@pytest.mark.parametrize(
    "instruction, function",
    [
        ("and.b32 %0, %1, %2;", lambda a, b: a & b),
        ("or.b32 %0, %1, 0b1010;", lambda a, b: a | 10),
        ("xor.b32 %0, %1, %2;", lambda a, b: a ^ b),
        ("not.b32 %0, %1;", lambda a, b: ~a),
        ("neg.s32 %0, %1;", lambda a, b: -a),
        ("shl.b32 %0, %1, 7;", lambda a, b: a << np.uint32(7)),
        ("shl.b32 %0, %1, 32;", lambda a, b: a * 0),
        ("shr.u32 %0, %1, 7;", lambda a, b: a >> np.uint32(7)),
        ("shr.s32 %0, %1, 7;", lambda a, b: (a.view(np.int32) >> 7).view(np.uint32)),
        ("add.u32 %0, %1, %2;", lambda a, b: a + b),
        ("sub.s32 %0, %1, %2;", lambda a, b: a - b),
        ("mul.lo.u32 %0, %1, %2;", lambda a, b: a * b),
        ("prmt.b32 %0, %1, 0, 0x0123;", lambda a, b: a.byteswap()),
        (
            "prmt.b32 %0, %1, %2, 0x5410;",
            lambda a, b: (a & np.uint32(0xFFFF)) | (b << np.uint32(16)),
        ),
        ("lop3.b32 %0, %1, %2, 0xff00ff00, 0xca;", lambda a, b: (a & b) | (~a & 0xFF00FF00)),
        ("lop3.b32 %0, %1, %2, 0x0ff0, 0x96;", lambda a, b: a ^ b ^ np.uint32(0x0FF0)),
        (
            "{ .reg .b32 t, u; mov.b32 t, %1; shr.b32 u, t, 8; shl.b32 t, t, 24; or.b32 %0, t, u; }",
            lambda a, b: np.array([rotate(x, 8) for x in a]),
        ),
    ],
)
def test_instructions_on_words(instruction, function):
    a = rng.integers(0, 2**32, (32, 2), dtype=np.uint32)
    kernel = calling(assembly(instruction), "f", 2, 1, ("uint32", "uint32"))
    b = run(kernel, a, np.zeros((32, 1), np.uint32))
    np.testing.assert_array_equal(b[:, 0], function(a[:, 0], a[:, 1]).astype(np.uint32))


@pytest.mark.parametrize("kind", ["f16x2", "bf16x2"])
@pytest.mark.parametrize(
    "name, function",
    [
        ("add", lambda a, b, c: a + b),
        ("mul", lambda a, b, c: a * b),
        ("fma.rn", lambda a, b, c: a * b + c),
        ("max", lambda a, b, c: np.maximum(a, b)),
    ],
)
def test_instructions_on_pairs(name, function, kind):
    count = 3 if name == "fma.rn" else 2
    a = rng.integers(-40, 40, (32, 3, 2)).astype(np.float32) / 4  # results that need no rounding
    a = np.round(a) if kind == "bf16x2" else a
    bits = a.astype(np.float16).view(np.uint16)
    if kind == "bf16x2":
        bits = (a.view(np.uint32) >> 16).astype(np.uint16)
    places = ", ".join(f"%{i}" for i in range(count + 1))
    source = assembly(f"{name}.{kind} {places};", count)
    kernel = calling(source, "f", 3, 1, ("uint32", "uint32"))
    words = np.ascontiguousarray(bits).view(np.uint32)[..., 0]
    b = run(kernel, words, np.zeros((32, 1), np.uint32)).view(np.uint16)
    if kind == "bf16x2":
        b = (b.astype(np.uint32) << 16).view(np.float32)
        expected = function(*np.moveaxis(a, 1, 0))
        np.testing.assert_allclose(b, expected, rtol=2**-8)
    else:
        np.testing.assert_array_equal(b.view(np.float16), function(*np.moveaxis(a, 1, 0)))


def test_subnormal_numbers_of_bfloat16_are_multiplied():
    source = assembly("mul.bf16x2 %0, %1, 0x7e807e80;", 1)  # by 2 to the 126
    kernel = calling(source, "f", 1, 1, ("uint32", "uint32"))
    a = np.full((32, 1), 0x00408040, np.uint32)
    b = run(kernel, a, np.zeros((32, 1), np.uint32))
    assert (b == 0x3F00BF00).all()  # 0.5 and -0.5


C = """
__device__ int square(int x) { return x * x; }
__device__ float third(const float *p) { float s = 0.f; for (int i = 0; i < 3; ++i) s += p[i]; return s / 3; }
__device__ void mixed(int *in, int *out) {
  int local[4], sum = 0;
  for (int i = 0; i < 4; ++i) { local[i] = in[i] % 7; sum += local[i]; }
  int k = 3;
  k <<= 2; k -= 1;
  out[0] = square(sum) + k;
  out[1] = in[0] > in[1] ? in[0] : -in[1];
  if (k == 11 && !(k < 0)) { out[2] = ~in[2] / 3; } else out[2] = 0;
  short *halves = (short *)out;
  halves[6] = (short)in[3];
  *(halves + 7) = min(in[0], 5);
  unsigned char *bytes = reinterpret_cast<unsigned char *>(in);
  out[0] += bytes[4];
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_statements_and_expressions(target):
    a = rng.integers(-30000, 30000, (32, 4)).astype(np.int32)
    kernel = calling(C, "mixed", 4, 4, ("int32", "int32"))
    b = run(kernel, a, np.zeros((32, 4), np.int32), target=target)
    for row, out in zip(a, b, strict=True):
        w = [int(x) for x in row]
        sum_ = sum(int(np.fmod(x, 7)) for x in w)
        assert out[0] == sum_**2 + 11 + (w[1] & 255)
        assert out[1] == (w[0] if w[0] > w[1] else -w[1])
        assert out[2] == int((~w[2]) / 3)
        assert [*out[3:].view(np.int16)] == [w[3], min(w[0], 5)]


def test_functions_have_values():
    @T.prim_func
    def main(A: T.Tensor((32, 3), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            T.import_source(C)
            x = T.alloc_local((3,), "float32")
            for i in T.serial(3):
                x[i] = A[tx, i]
            mean = T.call_extern("float32", "third", T.access_ptr(x, "r"))
            B[tx] = mean + T.call_extern("float32", "__expf", A[tx, 0])

    a = rng.standard_normal((32, 3)).astype(np.float32)
    b = run(main, a, np.zeros(32, np.float32))
    np.testing.assert_allclose(b, a.mean(1) + np.exp(a[:, 0]), rtol=1e-5)


@pytest.mark.parametrize(
    "source, message",
    [
        ("__device__ void f(int *a, int *b) {\n  a->x = 3;\n}", "'->', where ; is expected, in line 2"),
        ("int x;", "'int', where a __device__ function is expected, in line 1"),
        ("__device__ void f(thing *a, int *b) {}", "the type thing in line 1"),
        ("__device__ void f(int *a, int *b) {\n\n b[0] = g(1); }", "a call of g in the function f, line 3"),
        ("__device__ void f(int *a, int *b) { if (a[0]) b[0] = 1; }", "only the kernel knows"),
        ("__device__ void f(int *a, int *b) { for (;;) {} }", "where a name is expected"),
        ("__device__ void f(int *a, int *b) { for (int i = 0; 1; ++i) {} }", "more than 4096"),
        ("__device__ void f(int *a, int *b) { int x; b[0] = x; }", "that nothing has written"),
        ("__device__ void f(int *a, int *b) { int x[2]; x[2] = 1; }", "element 2 of an array of 2"),
        ('__device__ void f(uint *a, uint *b) { asm("bar.sync 0;"); }', "the assembly 'bar.sync 0'"),
        ('__device__ void f(uint *a, uint *b) { asm("mma.b32 %0, 1;" : "=r"(b[0])); }', "'mma.b32 %0, 1'"),
        ('__device__ void f(float *a, float *b) { asm("" : "=f"(b[0])); }', "the constraint '=f'"),
        ("__device__ void g(int *a) {}", "T.call_extern of 'f', a function that no T.import_source has"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_named(source, message):
    with pytest.raises(T.UnsupportedError) as error:
        calling(source, "f", 4, 4, ("int32", "int32"))
    text = str(error.value)
    assert message in text and "test_language_cuda_source.py:" in text and "T.macro" in text, text
