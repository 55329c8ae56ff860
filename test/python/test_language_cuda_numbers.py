# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device functions of CUDA C++: types of constants, ++ and --, pointers, ?:, and what modifiers of
instructions mean."""

import numpy as np
import pytest
from test_language_cuda_source import TARGETS, assembly, calling, run

import mlir_tile.language as T


def results(body, words, functions="", target="cpu"):
    """What a body with `uint *in, uint *out` writes for these words, in each of 32 threads."""
    source = f"{functions}__device__ void f(uint *in, uint *out) {{ {body} }}"
    kernel = calling(source, "f", len(words), 4, ("uint32", "uint32"))
    data = np.tile(np.array(words, np.uint32), (32, 1))
    found = run(kernel, data, np.zeros((32, 4), np.uint32), target=target)
    assert (found == found[0]).all()
    return found[0].tolist()


CASES = {
    "postfix": ("int k = 0; out[k++] = in[0]; out[k++] = in[1]; out[k--] = k; out[3] = k;", [10, 11, 2, 1]),
    "prefix": ("int k = 3; out[--k] = ++in[0]; out[3] = in[0]++; out[0] = in[0]; out[1] = k--;", [12, 2, 11, 11]),
    "steps_of_elements": ("in[0]++; --in[1]; out[0] = in[0]; out[1] = in[1]; int n = 2; out[n++] += 7; out[3] = n;", [11, 10, 7, 3]),
    "inverted_unsigned": ("constexpr uint m = ~0u >> 4; out[0] = m; out[1] = ~0 >> 4; out[2] = -1 > 0u; out[3] = -1 > 0;", [0x0FFFFFFF, 0xFFFFFFFF, 1, 0]),
    "wrapping": ("unsigned x = 3000000000u; out[0] = x * 2 / 3; uchar c = 250; c += 10; out[1] = c; out[2] = 0u - 1 > 5;", [568344234, 4, 1, 0]),
    "literals": ("out[0] = 3000000000 / 7; out[1] = 0xffffffff > 0; out[2] = 0xffffffff >> 31; out[3] = 010 + 0b11;", [428571428, 1, 1, 11]),
    "rounding_to_zero": ("out[0] = -7 / 2; out[1] = -7 % 3; out[2] = (short)0x18000 / 2; out[3] = (int)2.9f;", [0xFFFFFFFD, 0xFFFFFFFF, 0xFFFFC000, 2]),
    "wide": ("int64_t x = 0x7fffffffff; out[0] = x >> 8; out[1] = x / 1000000; uint64_t y = 1; out[2] = (y << 40) >> 38;", [0x7FFFFFFF, 549755, 4, 0]),
    "bool": ("bool b = 2; out[0] = b + b; out[1] = 5 && 4; out[2] = in[0] && 4; out[3] = -(in[0] > 3) + 2;", [2, 1, 1, 1]),
    "choice_of_numbers": ("out[0] = in[0] > 3 ? 1 : 0; out[1] = in[0] < 3 ? 1 : 2; out[2] = (true ? -1 : 0u) > 5;", [1, 2, 1, 0]),
    "moved_pointer": ("uint *p = in; out[0] = *p++; out[1] = *p; p -= 1; out[2] = p[1]; out[3] = p == in;", [10, 11, 11, 1]),
    "moved_in_a_loop": ("uint *p = out; for (int i = 0; i < 4; i++) { *p++ = i * i; }", [0, 1, 4, 9]),
    "end_of_a_pointer": ("for (uint *p = out; p != out + 3; ++p) *p = p - out; out[3] = nullptr == out;", [0, 1, 2, 0]),
    "address": ("int k = 3; int *p = &k; *p += 4; out[0] = k; uint v[2]; uint *q = v; *q++ = 1; *q = 2; out[1] = v[1];", [7, 2, 0, 0]),
    "narrow_in_assembly": ("char c = -3; asm(\"add.s32 %0, %1, 1;\" : \"=r\"(out[0]) : \"r\"((char)in[0] + 0), \"n\"(-1)); asm(\"add.s32\\t%0, %1, %2;\" : \"=r\"(out[1]) : \"r\"(c), \"n\"(-1));", [11, 0xFFFFFFFC, 0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_values(name, target):
    body, expected = CASES[name]
    assert results(body, [10, 11], target=target) == expected


def test_functions_convert_what_they_return():
    functions = """
    __device__ int whole(float x) { return x; }
    __device__ uchar low(int x) { return x; }
    template <typename T, int n> __device__ T times(T x) { return x * n; }
    """
    body = (
        "out[0] = whole(2.75f) * 2; out[1] = low(in[0]) + low(511);"
        " out[2] = times<float, 3>(1.5f) * 2; out[3] = times<uchar, 2>(200);"
    )
    assert results(body, [0x1FF], functions) == [4, 510, 9, 144]


@pytest.mark.parametrize("target", TARGETS)
def test_elements_as_arguments(target):
    source = "__device__ float half_of(float x, int n) { return (x + 1) / n; }"

    @T.prim_func
    def main(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            thread = T.get_thread_binding()
            T.import_source(source)
            B[thread] = T.call_extern("float32", "half_of", A[thread], 2)

    a = np.arange(32, dtype=np.float32)
    found = run(main, a, np.zeros(32, np.float32), target=target)
    np.testing.assert_array_equal(found, (a + 1) / 2)


def pair(low, high):
    return int(np.array([low, high], np.float16).view(np.uint32)[0])


INSTRUCTIONS = {
    "prmt.b32 %0, %1, %2, 0x9180;": ([0xD9C2825F, 1, 0], 0xFF82005F),
    "prmt.b32 %0, %1, %2, 0xfedc;": ([0, 0x7F80FF01, 0], 0x00FFFF00),
    "add.sat.s32 %0, %1, %2;": ([0x7FFFFFFF, 1, 0], 0x7FFFFFFF),
    "sub.sat.s32 %0, %1, %2;": ([0x80000000, 1, 0], 0x80000000),
    "sub.sat.s32 %0, %1, %2; add.s32 %0, %0, 1;": ([7, 9, 0], 0xFFFFFFFF),
    "mul.hi.u32 %0, %1, %2;": ([0xFFFFFFFF, 0xFFFFFFFF, 0], 0xFFFFFFFE),
    "mul.hi.s32 %0, %1, %2;": ([0xFFFFFFFF, 5, 0], 0xFFFFFFFF),
    "fma.rn.relu.f16x2 %0, %1, %2, %3;": ([pair(-2, 2), pair(1, 3), pair(-2, 1)], pair(0, 7)),
    "fma.rn.sat.f16x2 %0, %1, %2, %3;": ([pair(-2, 2), pair(1, 3), pair(-2, 1)], pair(0, 1)),
    "add.sat.f16x2 %0, %1, %2;": ([pair(0.25, 2), pair(0.5, np.nan), 0], pair(0.75, 0)),
    "add.rn.f16x2 %0, %1, %2;": ([pair(0.25, 2), pair(0.5, 1), 0], pair(0.75, 3)),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_modifiers(instruction, target):
    words, expected = INSTRUCTIONS[instruction]
    kernel = calling(assembly(instruction, 3), "f", 3, 1, ("uint32", "uint32"))
    data = np.tile(np.array(words, np.uint32), (32, 1))
    found = run(kernel, data, np.zeros((32, 1), np.uint32), target=target)
    assert [hex(x) for x in np.unique(found)] == [hex(expected)]


def asm(instruction):
    return f'asm("{instruction}" : "=r"(b[0]) : "r"(a[0]), "r"(a[1]));'


@pytest.mark.parametrize(
    "body, message",
    [
        (asm("add.cc.u32 %0, %1, %2;"), "the modifier .cc of the assembly 'add.cc.u32 %0, %1, %2'"),
        (asm("add.ftz.f16x2 %0, %1, %2;"), "the modifier .ftz"),
        (asm("add.rn.sat.bf16x2 %0, %1, %2;"), "the modifier .sat"),
        (asm("max.NaN.f16x2 %0, %1, %2;"), "the modifier .NaN"),
        (asm("shr.sat.u32 %0, %1, 3;"), "the modifier .sat"),
        (asm("add.u32 %0, %1;"), "the assembly 'add.u32 %0, %1'"),
        ('asm("mov.b32 %0, %1;" : "=r"(b[0]) : "r"(1.5f));', "no integer of 32 bits"),
        ('asm("" : "=r"(b[0]) : "r"(1));', "does not write one of its results"),
        ("b[0] = 1 / 0;", "a division by zero"),
        ("b[0] = 1 << 40;", "a shift of a value of 32 bits by 40"),
        ("b[0] = 1.5f & 1;", "& of floats"),
        ("b[0] = ~1.5f;", "~ of a float"),
        ("b[0] = a * 2;", "* of a pointer and what it cannot be combined with"),
        ("b[0] = a;", "a pointer where a value of type uint32 is expected"),
        ("int k = a;", "a pointer where a value of type int32 is expected"),
        ("int *p = 5;", "a value where a pointer is expected"),
        ("b[0] = *(a[0]);", "this *"),
        ("int v[2]; v = a;", "an assignment to the array v"),
        ("int k = 0; b[0] = a[0] ? k++ : 0;", "an assignment or a call that writes memory"),
        ("b[0] = a[0] && (b[1] = 2);", "an assignment or a call that writes memory"),
        ("b[0] = __expf(a);", "a call of __expf with a pointer"),
        ("b[0] = __expf(1.0f, 2.0f);", "__expf: it takes 1 arguments, got 2"),
        ("b[0] = 99999999999999999999;", "the number 99999999999999999999"),
        ("b[0] = 08;", "the number 08"),
        ("f(a, b);", "more than 32 calls in each other"),
        ("int v[-1]; v[0] = 1;", "element 0 of an array"),
    ],
)
def test_what_is_not_understood_is_named(body, message):
    source = f"__device__ void f(uint *a, uint *b) {{ {body} }}"
    with pytest.raises(T.UnsupportedError) as error:
        calling(source, "f", 4, 4, ("uint32", "uint32"))
    text = str(error.value)
    assert message in text and "test_language_cuda_source.py:" in text and "T.macro" in text, text
