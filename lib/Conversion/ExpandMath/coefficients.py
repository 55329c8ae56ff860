# Fits the polynomials of --tile-expand-math and prints Coefficients.h.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#     python3 coefficients.py | clang-format-22 > Coefficients.h        (needs mpmath)
#
# Each polynomial is a least-squares fit at Chebyshev nodes, which is within a
# small factor of the minimax error; the degree is chosen so that this error
# lies well below half a unit of the type. Coefficients are rounded to the type
# one after the other from the lowest: after each, the rest is fitted again to
# what is left, so rounding the large ones costs no accuracy.
import struct
import sys

from mpmath import mp, mpf, cos, pi, matrix, lu_solve, exp, log, log1p, expm1
from mpmath import sin, asin, atan, erf, erfc, tanh, sqrt, atanh, e

mp.prec = 300


def round_to(x, bits):
    if bits == 64:
        return mpf(float(x))
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def nodes(lo, hi, n):
    return [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]


def fit(f, lo, hi, degree, bits):
    """Coefficients, lowest first, rounded to a type of `bits` bits."""
    lo, hi = mpf(lo), mpf(hi)
    xs = nodes(lo, hi, 3 * (degree + 1))
    rest = [f(x) for x in xs]
    done = []
    while len(done) <= degree:
        k = len(done)
        n = degree + 1 - k
        powers = [[x ** (k + j) for j in range(n)] for x in xs]
        a, b = matrix(n, n), matrix(n, 1)
        for i in range(n):
            b[i] = sum(row[i] * r for row, r in zip(powers, rest))
            for j in range(n):
                a[i, j] = sum(row[i] * row[j] for row in powers)
        c = round_to(lu_solve(a, b)[0], bits)
        done.append(c)
        rest = [r - c * row[0] for row, r in zip(powers, rest)]
    worst = max(
        abs(sum(c * x**j for j, c in enumerate(done)) - f(x)) for x in nodes(lo, hi, 200)
    )
    return done, worst


def at(f, x, limit):
    """f(x), or its limit where f is 0/0."""
    return limit if abs(x) < mpf(2) ** -140 else f(x)


def series(f, lo, hi, limit):
    return lambda x: at(f, x, limit), lo, hi


LN2 = log(mpf(2))
SQRT1_2 = 1 / sqrt(mpf(2))

# name, what it is, function with interval, degrees (f32, f64)
POLYNOMIALS = [
    ("Exp", "(exp(r) - 1 - r) / r^2, |r| <= ln(2)/2",
     series(lambda r: (expm1(r) - r) / r**2, -0.3467, 0.3467, mpf(1) / 2), (4, 10)),
    ("Exp2", "(2^f - 1) / f, |f| <= 1/2",
     series(lambda f: expm1(f * LN2) / f, -0.5001, 0.5001, LN2), (5, 12)),
    ("Log", "(log(1 + f) - f) / f^2, 1 + f in [sqrt(1/2), sqrt(2)]",
     series(lambda f: (log1p(f) - f) / f**2, SQRT1_2 - 1, sqrt(mpf(2)) - 1, -mpf(1) / 2), (9, 21)),
    ("Log2", "(log2(1 + f) - f log2(e)) / f^2, same interval",
     series(lambda f: (log1p(f) - f) / f**2 / LN2, SQRT1_2 - 1, sqrt(mpf(2)) - 1, -1 / (2 * LN2)), (9, 21)),
    ("Log10", "(log10(1 + f) - f log10(e)) / f^2, same interval",
     series(lambda f: (log1p(f) - f) / f**2 / log(mpf(10)), SQRT1_2 - 1, sqrt(mpf(2)) - 1,
            -1 / (2 * log(mpf(10)))), (8, 21)),
    ("Atanh", "(2 atanh(s) / s - 2 - 2/3 w) / w^2, w = s^2, |s| <= (sqrt(2)-1)/(sqrt(2)+1)",
     series(lambda w: (2 * atanh(sqrt(w)) / sqrt(w) - 2 - 2 * w / 3) / w**2, mpf(2) ** -100, 0.0296, mpf(2) / 5), (2, 8)),
    ("TanhSmall", "(tanh(x) / x - 1) / w, w = x^2, |x| <= 0.625",
     series(lambda w: (tanh(sqrt(w)) / sqrt(w) - 1) / w, mpf(2) ** -100, 0.391, -mpf(1) / 3), (5, 13)),
    ("SinhSmall", "(sinh(x) / x - 1) / w, w = x^2, |x| <= 1",
     series(lambda w: (mp.sinh(sqrt(w)) / sqrt(w) - 1) / w, mpf(2) ** -100, 1, mpf(1) / 6), (4, 8)),
    ("ErfSmall", "erf(x) / x - 1, in w = x^2, |x| <= 1",
     series(lambda w: erf(sqrt(w)) / sqrt(w) - 1, mpf(2) ** -100, 1, 2 / sqrt(pi) - 1), (7, 14)),
    ("ErfTail32", "log(erfc(x)) in x - 1, 1 <= x <= 4",
     (lambda x: log(erfc(x + 1)), 0, 3), (11, None)),
    ("ErfTail64", "log(erfc(x)) in x - 1, 1 <= x <= 6",
     (lambda x: log(erfc(x + 1)), 0, 5), (None, 26)),
    ("Erfcx32", "(1 + 2x) exp(x^2) erfc(x), t = (x - 2)/(x + 2), 0 <= x <= 10.1",
     (lambda t: (lambda x: (1 + 2 * x) * exp(x * x) * erfc(x))(2 * (1 + t) / (1 - t)), -1, 0.67), (11, None)),
    ("Erfcx64", "(1 + 2x) exp(x^2) erfc(x), t = (x - 4)/(x + 4), 0 <= x <= 27.3",
     (lambda t: (lambda x: (1 + 2 * x) * exp(x * x) * erfc(x))(4 * (1 + t) / (1 - t)), -1, 0.745), (None, 24)),
    ("Sin", "(sin(r) / r - 1) / w, w = r^2, |r| <= pi/4",
     series(lambda w: (sin(sqrt(w)) / sqrt(w) - 1) / w, mpf(2) ** -100, 0.6170, -mpf(1) / 6), (2, 6)),
    ("Cos", "(cos(r) - 1 + w/2) / w^2, w = r^2, |r| <= pi/4",
     series(lambda w: (cos(sqrt(w)) - 1 + w / 2) / w**2, mpf(2) ** -100, 0.6170, mpf(1) / 24), (2, 5)),
    ("Atan", "(atan(x) / x - 1) / w, w = x^2, |x| <= 1",
     series(lambda w: (atan(sqrt(w)) / sqrt(w) - 1) / w, mpf(2) ** -100, 1, -mpf(1) / 3), (9, 20)),
    ("Asin", "(asin(x) / x - 1) / w, w = x^2, |x| <= 1/2",
     series(lambda w: (asin(sqrt(w)) / sqrt(w) - 1) / w, mpf(2) ** -100, 0.2501, mpf(1) / 6), (5, 12)),
]

# Constants that need more than one word: name, value, bits kept in the first
# word of f32 and f64 (all, or fewer so that a product with an integer is exact).
SPLIT = [
    ("Ln2", LN2, 15, 42),
    ("Log10Of2", LN2 / log(mpf(10)), 15, 42),
    ("Log2E", 1 / LN2, 24, 53),
    ("Log10E", 1 / log(mpf(10)), 24, 53),
    ("HalfPi", pi / 2, 24, 53),
    ("Pi", pi, 24, 53),
    ("TwoThirds", mpf(2) / 3, 24, 53),
    ("TwoOverPi", 2 / pi, 24, 53),
]


def hexa(x):
    return float(x).hex().replace("0x1.0000000000000p", "0x1p")


def words(value, first, full):
    """Three words whose sum is `value`; the first is cut to `first` bits."""
    out = []
    for width in (first, full, full):
        if value == 0:
            out.append(mpf(0))
            continue
        exponent = mp.floor(log(abs(value)) / LN2)
        unit = mpf(2) ** (exponent + 1 - width)
        word = mp.nint(value / unit) * unit
        out.append(word)
        value -= word
    return out


def main():
    print("//===- Coefficients.h - polynomials of --tile-expand-math ------*- C++ -*-===//")
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//")
    print("// Written by coefficients.py beside it; change that, not this. Lowest")
    print("// coefficient first; `error` is the largest absolute error of the fit itself.")
    print("//")
    print("//===----------------------------------------------------------------------===//")
    print("#ifndef TILE_CONVERSION_EXPANDMATH_COEFFICIENTS_H")
    print("#define TILE_CONVERSION_EXPANDMATH_COEFFICIENTS_H\n")
    print("#include <cstdint>\n")
    print("namespace mlir::tile::coefficients {\n")
    for name, what, (f, lo, hi), degrees in POLYNOMIALS:
        print(f"// {name}: {what}")
        for bits, degree in zip((32, 64), degrees):
            if degree is None:
                continue
            c, worst = fit(f, lo, hi, degree, bits)
            sys.stderr.write(f"{name} f{bits} degree {degree} error {mp.nstr(worst, 3)} = 2^{mp.nstr(log(worst)/LN2, 4)}\n")
            suffix = "" if name[-2:] in ("32", "64") else str(bits)
            print(f"// degree {degree}, error {mp.nstr(worst, 3)}")
            print(f"inline constexpr double k{name}{suffix}[] = {{")
            for x in c:
                print(f"    {hexa(x)},")
            print("};")
        print()
    print("// Constants as unevaluated sums, largest word first.")
    for name, value, first32, first64 in SPLIT:
        for bits, first, full in ((32, first32, 24), (64, first64, 53)):
            w = ", ".join(hexa(x) for x in words(value, first, full))
            print(f"inline constexpr double k{name}{bits}[] = {{{w}}};")
    print()
    print("// The fraction bits of 2/pi, 32 a word, for Payne and Hanek's reduction.")
    print("inline constexpr uint32_t kTwoOverPiBits[] = {")
    mp.prec = 1400
    value = 2 / mp.pi
    line = []
    for _ in range(42):
        value *= 2**32
        word = int(mp.floor(value))
        value -= word
        line.append(f"0x{word:08x}u")
    for i in range(0, len(line), 6):
        print("    " + ", ".join(line[i : i + 6]) + ",")
    print("};\n")
    print("} // namespace mlir::tile::coefficients")
    print("#endif // TILE_CONVERSION_EXPANDMATH_COEFFICIENTS_H")


main()
