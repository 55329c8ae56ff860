# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments on a device: rows, longer than their extents say where they are padded, in allocations of 0xFF bytes.

0xFF is NaN in every type of floating point, so that an element nobody wrote shows; padding and 4 KiB around each buffer must
keep it. `make` finds the class of an element type. Used by run_gpu_matrix.py and hopper_check.py, with which it travels.
"""

import math

GUARD = 4096
PACKED = ("i4", "f4E2M1FN")


def make(torch, device, element, shape, pad=0):
    return (PackedBuffer if element in PACKED else Buffer)(torch, device, element, shape, pad)


class Buffer:
    """Elements of whole bytes."""

    def __init__(self, torch, device, element, shape, pad=0):
        self.torch, self.device, self.element, self.shape = torch, device, element, tuple(shape)
        self.width = (shape[-1] if shape else 1) + pad
        self.rows = math.prod(shape[:-1])
        self.strides, step = [], 1
        for d in reversed(range(len(shape))):
            self.strides.insert(0, step)
            step *= shape[d] + (pad if d == len(shape) - 1 else 0)
        self.raw = torch.full((2 * GUARD + self.size(),), 255, dtype=torch.uint8, device=device)

    def dtype(self):
        torch = self.torch
        return dict(
            f16=torch.float16,
            bf16=torch.bfloat16,
            f32=torch.float32,
            f64=torch.float64,
            i8=torch.int8,
            i16=torch.int16,
            i32=torch.int32,
            i64=torch.int64,
            f8E4M3FN=torch.float8_e4m3fn,
            f8E5M2=torch.float8_e5m2,
        )[self.element]

    def size(self):
        """Bytes without the guards."""
        return self.rows * self.width * self.torch.empty(0, dtype=self.dtype()).element_size()

    def inner(self):
        return self.raw[GUARD : self.raw.numel() - GUARD]

    def view(self):
        """The elements, row by row; stores to it change the buffer."""
        return self.inner().view(self.dtype()).view(self.rows, self.width)[:, : self.width_inside()]

    def width_inside(self):
        return self.shape[-1] if self.shape else 1

    def set(self, values):
        if values.numel():
            self.view().copy_(values.reshape(self.rows, -1).to(self.dtype()))

    def rounded(self, values):
        """What the buffer would hold of them, as float64."""
        return values.to(self.dtype()).double()

    def double(self):
        """A copy as float64, which later stores of a kernel do not change."""
        return self.view().to(self.torch.float64, copy=True).reshape(self.shape)

    def poison(self):
        self.raw.fill_(255)

    def poison_kept(self):
        parts = [self.raw[:GUARD], self.raw[self.raw.numel() - GUARD :], *self.padding()]
        return all(bool((part == 255).all()) for part in parts)

    def padding(self):
        """Bytes that belong to no element."""
        if not self.rows * self.width:
            return []
        size = self.size() // (self.rows * self.width)
        return [self.inner().view(self.rows, -1)[:, self.width_inside() * size :]]

    def pointer(self):
        return self.raw.data_ptr() + GUARD

    def argument(self):
        """As tilebench.launch takes it."""
        return ("memref", self.element, self.pointer(), self.shape, tuple(self.strides))


class PackedBuffer(Buffer):
    """Elements of half a byte, the even one in the low half; strides count elements."""

    FP4 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)

    def size(self):
        return (self.rows * self.width + 1) // 2

    def codes(self):
        """Codes of all elements, pads included, and of what fills the last byte: a copy."""
        return self.torch.stack((self.inner() & 15, self.inner() >> 4), 1).reshape(-1)

    def view(self):
        """Codes of the elements, row by row: a copy."""
        return self.codes()[: self.rows * self.width].view(self.rows, self.width)[:, : self.width_inside()]

    def set(self, values):
        if values.numel():
            codes = self.codes()
            rows = codes[: self.rows * self.width].view(self.rows, self.width)
            rows[:, : self.width_inside()] = self.encode(values).reshape(self.rows, -1)
            self.inner().copy_(codes[0::2] | codes[1::2] << 4)

    def encode(self, values):
        torch = self.torch
        if self.element == "i4":
            return (values.to(torch.int64) & 15).to(torch.uint8)
        table = torch.tensor(self.FP4, dtype=torch.float64, device=self.device)
        distance = (values.double().abs()[..., None] - table).abs()
        # Of two numbers that are as near, the one with the even code.
        ties = distance == distance.amin(-1, keepdim=True)
        even = ties & (torch.arange(8, device=self.device) % 2 == 0)
        code = torch.where(even.any(-1), even.int().argmax(-1), ties.int().argmax(-1))
        return (code + 8 * torch.signbit(values.double())).to(torch.uint8)

    def decode(self, codes):
        torch = self.torch
        if self.element == "i4":
            return ((codes.to(torch.int64) ^ 8) - 8).double()
        table = torch.tensor(self.FP4 + tuple(-x for x in self.FP4), dtype=torch.float64, device=self.device)
        return table[codes.long()]

    def rounded(self, values):
        return self.decode(self.encode(values))

    def double(self):
        return self.decode(self.view()).reshape(self.shape)

    def padding(self):
        codes, count = self.codes(), self.rows * self.width
        pads = codes[:count].view(self.rows, self.width)[:, self.width_inside() :] if count else codes[:0]
        # As whole bytes: a kept half reads 0xFF.
        return [part | part << 4 for part in (pads, codes[count:])]
