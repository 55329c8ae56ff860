# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packings of quantized weights, as plain numpy functions: what checkpoints have, and what the programs of quantized.py read.

Everything goes by codes: q[N, K] of uint8, one element each, as its bits stand in memory (i4 in two's complement). Importers
return q, the scales [K / group, N] and the zero points [K / group, N] (float32 integers).
"""

import numpy as np

AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)  # of the eight columns of N in a word, from its lowest bits on


# --- what the programs read


def word_order(bits, packing, narrow=False):
    """word and first bit of each element of a period along K (quantized.py's `pairs` and `split`), as two arrays.

    A step of the instruction takes 16 elements along K, 32 where A has eight bits (`narrow`). Thread t of four holds `run` of them, from run t on, and as many
    in the step's second half."""
    period, run, count = 16 * 32 // bits, *((4, 32) if narrow else (2, 16))
    k = np.arange(period)
    in_word = 32 // bits // (2 * run)
    step, half, thread, element = k // count, k % count // (count // 2), k % (4 * run) // run, k % run
    if in_word == 0:  # a step of eight bits fills two words
        return thread * 4 + step * 2 + half, 8 * element
    word = thread * 4 + step // in_word
    if bits == 8:
        return word, 16 * half + 8 * element if packing == "pairs" else 8 * half + 16 * element
    if packing == "pairs":
        return word, 8 * run * (step % in_word) + 4 * run * half + 4 * element
    return word, 4 * half + 32 // run * element + 8 * (step % in_word)


def pack_words(q, bits=4, packing="pairs", narrow=False):
    """[N, K bits / 32] of int32: K is a multiple of a period."""
    word, shift = word_order(bits, packing, narrow)
    n, period = q.shape[0], len(word)
    found = np.zeros((n, q.shape[1] // period, 16), np.uint32)
    parts = q.reshape(n, -1, period).astype(np.uint32)
    for k in range(period):
        found[:, :, word[k]] |= parts[:, :, k] << np.uint32(shift[k])
    return found.reshape(n, -1).view(np.int32)


def unpack_words(words, bits=4, packing="pairs", narrow=False):
    word, shift = word_order(bits, packing, narrow)
    n = words.shape[0]
    parts = words.view(np.uint32).reshape(n, -1, 16)
    found = (parts[:, :, word] >> shift.astype(np.uint32)) & np.uint32(2**bits - 1)
    return found.reshape(n, -1).astype(np.uint8)


def pack_bytes(q):
    """[N, K / 2]: element 2 i in the low half of byte i."""
    return (q[:, ::2] | q[:, 1::2] << 4).astype(np.uint8)


def unpack_bytes(packed):
    return np.stack([packed & 15, packed >> 4], 2).reshape(len(packed), -1)


def pack_rows(q):
    """[N, K / 8] of int32: eight elements to a word, in order. The same bytes as pack_bytes."""
    return np.ascontiguousarray(pack_bytes(q)).view(np.int32)


def signed(q):
    """The codes of i4 that say q - 8 of unsigned codes: for weights whose zero points all are 8."""
    return q ^ 8


# --- GPTQ: words of eight elements along K; zero points in words along N, stored less one in its first format


def _nibbles(words, axis):
    """Eight elements of each word along `axis`, from its lowest bits on."""
    shifts = np.arange(0, 32, 4, dtype=np.uint32)
    parts = np.expand_dims(words.view(np.uint32), axis + 1)
    shape = [1] * parts.ndim
    shape[axis + 1] = 8
    found = (parts >> shifts.reshape(shape)) & np.uint32(15)
    return found.reshape([e * 8 if d == axis else e for d, e in enumerate(words.shape)]).astype(np.uint8)


def _words(nibbles, axis):
    nibbles = np.moveaxis(nibbles, axis, -1).astype(np.uint32)
    parts = nibbles.reshape(*nibbles.shape[:-1], -1, 8)
    found = np.bitwise_or.reduce(parts << np.arange(0, 32, 4, dtype=np.uint32), -1)
    return np.ascontiguousarray(np.moveaxis(found, -1, axis)).view(np.int32)


def from_gptq(qweight, qzeros, scales, g_idx=None, version=1):
    """qweight [K / 8, N], qzeros [groups, N / 8], scales [groups, N]. With `g_idx` [K], the group of each row of qweight, the elements
    along K are sorted by group: the last result is that order, in which A's columns are taken."""
    q, zeros = _nibbles(qweight, 0).T, _nibbles(qzeros, 1).astype(np.float32) + (1 if version == 1 else 0)
    order = np.arange(q.shape[1]) if g_idx is None else np.argsort(g_idx, kind="stable")
    return np.ascontiguousarray(q[:, order]), scales, zeros, order


def to_gptq(q, zeros, version=1):
    return _words(q.T, 0), _words(((zeros - (1 if version == 1 else 0)).astype(np.int64) & 15).astype(np.uint8), 1)


# --- AWQ: words of eight elements along N, in AWQ_ORDER


def from_awq(qweight, qzeros, scales):
    """qweight [K, N / 8], qzeros [groups, N / 8], scales [groups, N]."""
    place = np.argsort(AWQ_ORDER)  # of column c in its word

    def columns(words):
        return _nibbles(words, 1).reshape(len(words), -1, 8)[:, :, place].reshape(len(words), -1)

    return np.ascontiguousarray(columns(qweight).T), scales, columns(qzeros).astype(np.float32)


def to_awq(q, zeros):
    def words(values):
        return _words(values.reshape(len(values), -1, 8)[:, :, AWQ_ORDER].reshape(len(values), -1), 1)

    return words(np.ascontiguousarray(q.T)), words(zeros.astype(np.uint8))


# --- Marlin: 16 x 64 tiles of K x N in the order of mma.sync's operand (IST-DASLab/marlin, marlin/__init__.py, _get_perms)


def _marlin_order():
    """Of the 1,024 elements of four 16 x 16 tiles next to each other along N: which element stands where."""
    order = []
    for lane in range(32):
        column = lane // 4
        one = [16 * row + column + 8 * block for block in (0, 1) for row in (2 * (lane % 4), 2 * (lane % 4) + 1, 2 * (lane % 4 + 4), 2 * (lane % 4 + 4) + 1)]
        order += [p + 256 * tile for tile in range(4) for p in one]
    return np.array(order).reshape(-1, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]].ravel()


def _marlin_scales(group):
    """Columns of scales: of eight rows of eight, or in pairs where a column of weights has one scale."""
    if group:
        return np.array([i + 8 * j for i in range(8) for j in range(8)])
    return np.array([2 * i + j for i in range(4) for j in (0, 1, 8, 9, 16, 17, 24, 25)])


def from_marlin(words, scales, group=128):
    """words [K / 16, 2 N], scales [groups, N]; the zero point is 8 everywhere."""
    order = _marlin_order()
    nibbles = _nibbles(words, 1)
    k, n = len(words) * 16, nibbles.shape[1] // 16
    tiles = np.empty_like(nibbles.reshape(-1, 1024))
    tiles[:, order] = nibbles.reshape(-1, 1024)
    q = tiles.reshape(k // 16, n // 16, 16, 16).transpose(0, 2, 1, 3).reshape(k, n)
    columns = _marlin_scales(group)
    plain = np.empty_like(scales.reshape(-1, len(columns)))
    plain[:, columns] = scales.reshape(-1, len(columns))
    return np.ascontiguousarray(q.T), plain.reshape(scales.shape), np.full(scales.shape, 8, np.float32)


def to_marlin(q, scales, group=128):
    w = np.ascontiguousarray(q.T)
    k, n = w.shape
    tiles = w.reshape(k // 16, 16, n // 16, 16).transpose(0, 2, 1, 3).reshape(-1, 1024)[:, _marlin_order()]
    columns = _marlin_scales(group)
    return _words(tiles.reshape(k // 16, n * 16), 1), scales.reshape(-1, len(columns))[:, columns].reshape(scales.shape)
