//===- Coefficients.h - polynomials of --tile-expand-math ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by coefficients.py beside it; change that, not this. Lowest
// coefficient first; `error` is the largest absolute error of the fit itself.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_EXPANDMATH_COEFFICIENTS_H
#define TILE_CONVERSION_EXPANDMATH_COEFFICIENTS_H

#include <cstdint>

namespace mlir::tile::coefficients {

// Exp: (exp(r) - 1 - r) / r^2, |r| <= ln(2)/2
// degree 4, error 6.42e-8
inline constexpr double kExp32[] = {
    0x1p-1,
    0x1.5554dc0000000p-3,
    0x1.5555000000000p-5,
    0x1.120c180000000p-7,
    0x1.6d30740000000p-10,
};
// degree 10, error 1.49e-18
inline constexpr double kExp64[] = {
    0x1p-1,
    0x1.5555555555557p-3,
    0x1.5555555555556p-5,
    0x1.111111111004dp-7,
    0x1.6c16c16c15ff6p-10,
    0x1.a01a01ac20fc5p-13,
    0x1.a01a01a81b776p-16,
    0x1.71de01a1ad1b9p-19,
    0x1.27e4d80e31e91p-22,
    0x1.af4ee431470e5p-26,
    0x1.1f78f67ebc139p-29,
};

// Exp2: (2^f - 1) / f, |f| <= 1/2
// degree 5, error 9.12e-9
inline constexpr double kExp232[] = {
    0x1.62e4300000000p-1, 0x1.ebfbe00000000p-3,  0x1.c6af9c0000000p-5,
    0x1.3b2a540000000p-7, 0x1.5ef5da0000000p-10, 0x1.4417640000000p-13,
};
// degree 12, error 2.32e-17
inline constexpr double kExp264[] = {
    0x1.62e42fefa39efp-1,   0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a236p-5,
    0x1.3b2ab6fba4d47p-7,   0x1.5d87fe7848d79p-10, 0x1.430912f8c2884p-13,
    0x1.ffcbfeda47eddp-17,  0x1.62c020e74f267p-20, 0x1.b51ce2b8cadf6p-24,
    0x1.e4d3fdf726604p-28,  0x1.01c1d7516cec0p-31, 0x1.bdf9c6164cb11p-36,
    -0x1.f5ee149f5e103p-36,
};

// Log: (log(1 + f) - f) / f^2, 1 + f in [sqrt(1/2), sqrt(2)]
// degree 9, error 4.32e-9
inline constexpr double kLog32[] = {
    -0x1p-1,
    0x1.55554e0000000p-2,
    -0x1.fffff40000000p-3,
    0x1.99a1480000000p-3,
    -0x1.555f7e0000000p-3,
    0x1.237cce0000000p-3,
    -0x1.fbfec60000000p-4,
    0x1.e2eae00000000p-4,
    -0x1.dd98040000000p-4,
    0x1.1c6a8e0000000p-4,
};
// degree 21, error 1.56e-18
inline constexpr double kLog64[] = {
    -0x1p-1,
    0x1.5555555555556p-2,
    -0x1.000000000001bp-2,
    0x1.999999999965ep-3,
    -0x1.555555554ff20p-3,
    0x1.24924924b43cbp-3,
    -0x1.0000000304944p-3,
    0x1.c71c71b58028bp-4,
    -0x1.999997ecdc580p-4,
    0x1.745d18f26c338p-4,
    -0x1.555598ae8a3ffp-4,
    0x1.3b13c5a2972fap-4,
    -0x1.248bfb97bc702p-4,
    0x1.1108d273ffa51p-4,
    -0x1.00593dbec4565p-4,
    0x1.e36f46535ca99p-5,
    -0x1.c1d439d286e0fp-5,
    0x1.9d1009aeb963cp-5,
    -0x1.a651fd1022149p-5,
    0x1.eb00a171e0dbbp-5,
    -0x1.bcf9e0d7243d1p-5,
    0x1.79c738129448fp-6,
};

// Log2: (log2(1 + f) - f log2(e)) / f^2, same interval
// degree 9, error 1.24e-8
inline constexpr double kLog232[] = {
    -0x1.7154760000000p-1, 0x1.ec70940000000p-2,  -0x1.7154c60000000p-2,
    0x1.277c440000000p-2,  -0x1.ec654a0000000p-3, 0x1.a476be0000000p-3,
    -0x1.6fe35e0000000p-3, 0x1.5e1a2a0000000p-3,  -0x1.517e400000000p-3,
    0x1.82fa3a0000000p-4,
};
// degree 21, error 1.02e-17
inline constexpr double kLog264[] = {
    -0x1.71547652b82fep-1, 0x1.ec709dc3a03fep-2,  -0x1.71547652b8397p-2,
    0x1.2776c50ef9abfp-2,  -0x1.ec709dc38e588p-3, 0x1.a61762a7c2840p-3,
    -0x1.7154765a53009p-3, 0x1.484b13d5aac36p-3,  -0x1.2776c34bd5247p-3,
    0x1.0c9a83ac7fc27p-3,  -0x1.ec711a1184293p-4, 0x1.c68ff32c913bep-4,
    -0x1.a60ce5d725bebp-4, 0x1.89defc12908f1p-4,  -0x1.71dc13926fdb0p-4,
    0x1.5d141a43c573bp-4,  -0x1.44aa5460613c8p-4, 0x1.2814cae563ad7p-4,
    -0x1.2dca8504416b1p-4, 0x1.655984400a5e7p-4,  -0x1.4af7bb717dab8p-4,
    0x1.1cf05143125f1p-5,
};

// Log10: (log10(1 + f) - f log10(e)) / f^2, same interval
// degree 8, error 1.21e-8
inline constexpr double kLog1032[] = {
    -0x1.bcb7b00000000p-3, 0x1.287a700000000p-3,  -0x1.bcbb300000000p-4,
    0x1.63cec40000000p-4,  -0x1.27c8ba0000000p-4, 0x1.f8dc240000000p-5,
    -0x1.d22a4c0000000p-5, 0x1.c7dcca0000000p-5,  -0x1.1768380000000p-5,
};
// degree 21, error 5.48e-18
inline constexpr double kLog1064[] = {
    -0x1.bcb7b1526e50ep-3, 0x1.287a7636f435fp-3,  -0x1.bcb7b1526e633p-4,
    0x1.63c6277525028p-4,  -0x1.287a7636e4996p-4, 0x1.fc3fa61511c3dp-5,
    -0x1.bcb7b15eb1ecdp-5, 0x1.8b4df2fa980d2p-5,  -0x1.63c624cdc471bp-5,
    0x1.436e4f6981f00p-5,  -0x1.287ace2ef38cep-5, 0x1.11acb5fbae157p-5,
    -0x1.fc31a51eab9bdp-6, 0x1.da3c8ff01be3ap-6,  -0x1.bd625d40c1675p-6,
    0x1.a4a897d78bf92p-6,  -0x1.87136aeb637e6p-6, 0x1.62c4a31c7ed3ep-6,
    -0x1.68deb6cc5f678p-6, 0x1.b150a2a03fd95p-6,  -0x1.9795e77a1e3c3p-6,
    0x1.622ea7b387f19p-7,
};

// Atanh: (2 atanh(s) / s - 2 - 2/3 w) / w^2, w = s^2, |s| <=
// (sqrt(2)-1)/(sqrt(2)+1) degree 2, error 1.56e-7
inline constexpr double kAtanh32[] = {
    0x1.9999a40000000p-2,
    0x1.2479d20000000p-2,
    0x1.d825ac0000000p-3,
};
// degree 8, error 2.22e-17
inline constexpr double kAtanh64[] = {
    0x1.999999999999ap-2, 0x1.2492492492209p-2, 0x1.c71c71c7b2a2cp-3,
    0x1.745d16c8f2a2fp-3, 0x1.3b13e856c7636p-3, 0x1.11033f79db306p-3,
    0x1.e5d77cf627895p-4, 0x1.6184b7fb7aba1p-4, 0x1.02ced5abc7a8ap-2,
};

// TanhSmall: (tanh(x) / x - 1) / w, w = x^2, |x| <= 0.625
// degree 5, error 9.93e-9
inline constexpr double kTanhSmall32[] = {
    -0x1.5555560000000p-2, 0x1.1111380000000p-3,  -0x1.ba1a6a0000000p-5,
    0x1.6577c40000000p-6,  -0x1.1589640000000p-7, 0x1.3bd9300000000p-9,
};
// degree 13, error 1.85e-17
inline constexpr double kTanhSmall64[] = {
    -0x1.5555555555555p-2,  0x1.1111111111042p-3,   -0x1.ba1ba1ba08ff6p-5,
    0x1.664f487c81dcep-6,   -0x1.226e34304cfe1p-7,  0x1.d6d389a8c775ep-9,
    -0x1.7d9dd5fde899ap-10, 0x1.350c2ed4eb3d1p-11,  -0x1.efd90359936acp-13,
    0x1.71306100cca8bp-14,  -0x1.42255aea3ef01p-16, -0x1.cb88a5fae8715p-17,
    0x1.47fe5b3ec4cd4p-16,  -0x1.166ec08c16bd5p-17,
};

// SinhSmall: (sinh(x) / x - 1) / w, w = x^2, |x| <= 1
// degree 4, error 4.97e-9
inline constexpr double kSinhSmall32[] = {
    0x1.5555560000000p-3,  0x1.1110820000000p-7,  0x1.a09b1e0000000p-13,
    0x1.46bf9c0000000p-19, 0x1.6937c00000000p-23,
};
// degree 8, error 9.25e-18
inline constexpr double kSinhSmall64[] = {
    0x1.5555555555555p-3,  0x1.1111111111211p-7,  0x1.a01a019fe206fp-13,
    0x1.71de3aad62bc4p-19, 0x1.ae63c3e64c070p-26, 0x1.61aefa47a1bd0p-33,
    0x1.193da0d6de390p-41, 0x1.5b7ba1ba0a602p-43, -0x1.4101906ce55c3p-45,
};

// ErfSmall: erf(x) / x - 1, in w = x^2, |x| <= 1
// degree 7, error 9.69e-10
inline constexpr double kErfSmall32[] = {
    0x1.06eba80000000p-3,  -0x1.8127440000000p-2,  0x1.ce2ea00000000p-4,
    -0x1.b821e60000000p-6, 0x1.55dcc60000000p-8,   -0x1.b99eb60000000p-11,
    0x1.c773480000000p-14, -0x1.1fd45c0000000p-17,
};
// degree 14, error 1.24e-17
inline constexpr double kErfSmall64[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b037a06p-2,  0x1.ce2f21a04402ap-4,
    -0x1.b82ce312eb273p-6,  0x1.565bcd1f53f66p-8,   -0x1.c02db7a6c13c3p-11,
    0x1.f9a3adb9d9255p-14,  -0x1.f4dfd52b97d29p-17, 0x1.badad5e2afd0cp-20,
    -0x1.6bc2ead8c63acp-23, 0x1.6ee557333a484p-26,  -0x1.b82b72cf8479bp-28,
    0x1.7ed177845bfe3p-29,  -0x1.cac4b8d879f5cp-31, 0x1.f7ad0efe4f5c1p-34,
};

// ErfTail32: log(erfc(x)) in x - 1, 1 <= x <= 4
// degree 11, error 5.03e-8
inline constexpr double kErfTail32[] = {
    -0x1.d97fc00000000p+0, -0x1.51c9a40000000p+1,  -0x1.afad560000000p-1,
    -0x1.5415f00000000p-5, 0x1.4588100000000p-7,   -0x1.e557260000000p-10,
    0x1.217c720000000p-13, 0x1.32260c0000000p-14,  -0x1.3f54a20000000p-15,
    0x1.3627700000000p-17, -0x1.461bfc0000000p-20, 0x1.2795740000000p-24,
};

// ErfTail64: log(erfc(x)) in x - 1, 1 <= x <= 6
// degree 26, error 1.1e-17
inline constexpr double kErfTail64[] = {
    -0x1.d97fbf27aa2a1p+0,  -0x1.51c9b0006c242p+1,  -0x1.afabc11a28b9cp-1,
    -0x1.5477f09cef792p-5,  0x1.48c9d417964acp-7,   -0x1.033f6ac36031dp-9,
    0x1.f1b50f9e9dbaep-13,  0x1.b8b5f9abf5a75p-16,  -0x1.c745ff772971fp-16,
    0x1.411252fdf5488p-17,  -0x1.0d444651f3659p-19, 0x1.7c681b3ca3477p-24,
    0x1.2c0cf681c4308p-23,  -0x1.4b923e0d3b8a5p-24, 0x1.c5f3196c2b219p-26,
    -0x1.d887aa2e8ffedp-28, 0x1.865013124e98cp-30,  -0x1.fcfbe545fa9e9p-33,
    0x1.f3f965374b07fp-36,  -0x1.3cc2dd58f947cp-39, 0x1.a3c7393e1d0b8p-46,
    0x1.b115894f68324p-46,  -0x1.24f47d8b73773p-48, 0x1.b57360f9c0dcfp-52,
    -0x1.9b26f09121019p-56, 0x1.cad452fdb5fbfp-61,  -0x1.d43a622280154p-67,
};

// Erfcx32: (1 + 2x) exp(x^2) erfc(x), t = (x - 2)/(x + 2), 0 <= x <= 10.1
// degree 11, error 8.29e-9
inline constexpr double kErfcx32[] = {
    0x1.46e80e0000000p+0,   -0x1.7bf5e80000000p-4, -0x1.5407a40000000p-3,
    0x1.4ff9e40000000p-3,   -0x1.bc2ddc0000000p-5, -0x1.0721700000000p-7,
    0x1.1dd5b00000000p-7,   0x1.48baf40000000p-10, -0x1.7b7ffe0000000p-10,
    -0x1.aecb5a0000000p-12, 0x1.8c3f080000000p-13, 0x1.7eb6c80000000p-14,
};

// Erfcx64: (1 + 2x) exp(x^2) erfc(x), t = (x - 4)/(x + 4), 0 <= x <= 27.3
// degree 24, error 4.62e-17
inline constexpr double kErfcx64[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28fp-3,  0x1.f7f5df66fc981p-7,
    0x1.16ecefcfa5436p-4,   -0x1.9ddb23c3e48cbp-4,  0x1.7fee004e1156dp-4,
    -0x1.0fb06dfe9df0ap-4,  0x1.3079edf68e7e4p-5,   -0x1.096238772b389p-6,
    0x1.49c6728af1423p-8,   -0x1.8d4aa51d66a6ap-11, -0x1.a1df30461864bp-13,
    0x1.3be0f73637c62p-13,  -0x1.9956f56a01eb9p-16, -0x1.78a4159025bebp-17,
    0x1.7f05ccfe523fbp-18,  0x1.405bfffe8ecb3p-22,  -0x1.b897c208337f0p-21,
    0x1.2d788aec374ffp-24,  0x1.be3779d5b7fd2p-24,  -0x1.13273d71745c7p-26,
    -0x1.4b09e07c4c9fep-27, 0x1.2d8d1195f6882p-29,  -0x1.13812a7ff3e19p-33,
    -0x1.01e0ef290a1ebp-31,
};

// Sin: (sin(r) / r - 1) / w, w = r^2, |r| <= pi/4
// degree 2, error 2.48e-8
inline constexpr double kSin32[] = {
    -0x1.5555520000000p-3,
    0x1.110be60000000p-7,
    -0x1.9ab4060000000p-13,
};
// degree 6, error 9.25e-18
inline constexpr double kSin64[] = {
    -0x1.5555555555555p-3,  0x1.111111111101ep-7,   -0x1.a01a019fe8860p-13,
    0x1.71de3a1036cf3p-19,  -0x1.ae63f7fe9937ap-26, 0x1.60e5cb5fed7acp-33,
    -0x1.8d514ec443d4ep-41,
};

// Cos: (cos(r) - 1 + w/2) / w^2, w = r^2, |r| <= pi/4
// degree 2, error 2.48e-9
inline constexpr double kCos32[] = {
    0x1.5555540000000p-5,
    -0x1.6c129e0000000p-10,
    0x1.9bc76a0000000p-16,
};
// degree 5, error 2.31e-18
inline constexpr double kCos64[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c168ccp-10, 0x1.a01a019f38ae3p-16,
    -0x1.27e4fa036a804p-22, 0x1.1eeb584d680ffp-29,  -0x1.9073d1dd1bb2cp-37,
};

// Atan: (atan(x) / x - 1) / w, w = x^2, |x| <= 1
// degree 9, error 9.93e-9
inline constexpr double kAtan32[] = {
    -0x1.5555560000000p-2, 0x1.9999be0000000p-3,  -0x1.2490b80000000p-3,
    0x1.c6a61c0000000p-4,  -0x1.6ff0860000000p-4, 0x1.256f7c0000000p-4,
    -0x1.a1f1380000000p-5, 0x1.ce25720000000p-6,  -0x1.4b1c420000000p-7,
    0x1.bbab1e0000000p-10,
};
// degree 20, error 1.84e-17
inline constexpr double kAtan64[] = {
    -0x1.5555555555555p-2,  0x1.999999999987ep-3,  -0x1.249249248a387p-3,
    0x1.c71c71c3cfb5fp-4,   -0x1.745d16e54a554p-4, 0x1.3b13aa464c4d8p-4,
    -0x1.1110b9b161e9cp-4,  0x1.e1dbbb866062fp-5,  -0x1.aeff2c2b9ede5p-5,
    0x1.8544a63058cd5p-5,   -0x1.60db0e1646144p-5, 0x1.3d199fa65d112p-5,
    -0x1.143967b5a8bcfp-5,  0x1.c2f818f442a01p-6,  -0x1.4ad7276a5e909p-6,
    0x1.a0c3bdea05e8ap-7,   -0x1.ad6d8d71dbd63p-8, 0x1.5670bd14384cdp-9,
    -0x1.888445c2d04a4p-11, 0x1.1dca5c421d128p-13, -0x1.8b4d97ffd984cp-17,
};

// Asin: (asin(x) / x - 1) / w, w = x^2, |x| <= 1/2
// degree 5, error 9.93e-9
inline constexpr double kAsin32[] = {
    0x1.5555540000000p-3, 0x1.3334c60000000p-4, 0x1.6d40c20000000p-5,
    0x1.ff87ba0000000p-6, 0x1.10e64c0000000p-6, 0x1.19f7c00000000p-5,
};
// degree 12, error 1.84e-17
inline constexpr double kAsin64[] = {
    0x1.5555555555556p-3, 0x1.3333333332dcbp-4, 0x1.6db6db6e43d3cp-5,
    0x1.f1c71c14b135bp-6, 0x1.6e8bb30527e03p-6, 0x1.1c4d1b4605556p-6,
    0x1.c9d1e5624e7a0p-7, 0x1.780beb44a1c3dp-7, 0x1.52e5783d2361fp-7,
    0x1.606a07908e428p-8, 0x1.2087ec5c5f5a1p-6, -0x1.f1073a995a4dfp-7,
    0x1.da9863f51c636p-6,
};

// Constants as unevaluated sums, largest word first.
inline constexpr double kLn232[] = {0x1.62e4000000000p-1, 0x1.7f7d1c0000000p-20,
                                    0x1.ef357a0000000p-45};
inline constexpr double kLn264[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45,
                                    0x1.f97b57a079a19p-103};
inline constexpr double kLog10Of232[] = {
    0x1.3440000000000p-2, 0x1.3509f80000000p-18, -0x1.80433c0000000p-44};
inline constexpr double kLog10Of264[] = {
    0x1.34413509f7800p-2, 0x1.fef311f12b358p-46, 0x1.6f922f04d5a62p-102};
inline constexpr double kLog2E32[] = {
    0x1.7154760000000p+0, 0x1.4ae0c00000000p-26, -0x1.e888300000000p-52};
inline constexpr double kLog2E64[] = {
    0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, -0x1.60bb8a5442ab9p-110};
inline constexpr double kLog10E32[] = {
    0x1.bcb7b20000000p-2, -0x1.5b235e0000000p-27, -0x1.cd59540000000p-54};
inline constexpr double kLog10E64[] = {
    0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.ee191f71a3012p-112};
inline constexpr double kHalfPi32[] = {
    0x1.921fb60000000p+0, -0x1.777a5c0000000p-25, -0x1.ee59da0000000p-50};
inline constexpr double kHalfPi64[] = {
    0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
inline constexpr double kPi32[] = {0x1.921fb60000000p+1, -0x1.777a5c0000000p-24,
                                   -0x1.ee59da0000000p-49};
inline constexpr double kPi64[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53,
                                   -0x1.f1976b7ed8fbcp-109};
inline constexpr double kTwoThirds32[] = {
    0x1.5555560000000p-1, -0x1.5555560000000p-26, 0x1.5555560000000p-51};
inline constexpr double kTwoThirds64[] = {
    0x1.5555555555555p-1, 0x1.5555555555555p-55, 0x1.5555555555555p-109};
inline constexpr double kTwoOverPi32[] = {
    0x1.45f3060000000p-1, 0x1.b939100000000p-26, 0x1.529fc20000000p-52};
inline constexpr double kTwoOverPi64[] = {
    0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55, -0x1.6447e493ad4cep-109};

// The fraction bits of 2/pi, 32 a word, for Payne and Hanek's reduction.
inline constexpr uint32_t kTwoOverPiBits[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u,
    0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u,
    0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u,
    0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu,
    0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
    0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du,
    0xa9e39161u, 0x5ee61b08u,
};

} // namespace mlir::tile::coefficients
#endif // TILE_CONVERSION_EXPANDMATH_COEFFICIENTS_H
