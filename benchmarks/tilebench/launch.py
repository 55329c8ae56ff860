# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C runtime (include/tile-c/Runtime.h) through ctypes: loads artifacts, launches kernels on torch tensors.

`Kernel.bind` prepares everything once and returns a function of no arguments that only launches, so that timing sees
little of Python. The first launch of a binding checks every argument; later ones trust the addresses.
"""

import ctypes
import pathlib

TYPES = [
    "i1",
    "i4",
    "i8",
    "ui8",
    "i16",
    "ui16",
    "i32",
    "ui32",
    "i64",
    "ui64",
    "f4E2M1FN",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
]
TRUST = 3


class TileArg(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int32),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("data", ctypes.c_uint64),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("bits", ctypes.c_uint64),
    ]


class LaunchError(RuntimeError):
    pass


class Runtime:
    """libtile_runtime.so and one device. `driver`: another driver library, for tests."""

    def __init__(self, folder, driver=None, ordinal=0):
        c = ctypes
        self.folder = pathlib.Path(folder).resolve()  # a name without a folder is looked for elsewhere
        self.lib = c.CDLL(str(self.folder / "libtile_runtime.so"))
        p = c.c_void_p
        for name, result, args in (
            ("tileErrorMessage", c.c_char_p, [p]),
            ("tileErrorDestroy", None, [p]),
            ("tileDeviceOpen", p, [c.c_char_p, c.c_int32, c.POINTER(p)]),
            ("tileDeviceClose", None, [p]),
            ("tileDeviceSynchronize", p, [p]),
            ("tileElementTypeName", c.c_char_p, [c.c_int32]),
            ("tileArtifactLoadBytes", p, [p, c.c_char_p, c.c_size_t, c.POINTER(p)]),
            ("tileArtifactUnload", None, [p]),
            ("tileArtifactKernel", p, [p, c.c_size_t]),
            ("tileKernelName", c.c_char_p, [p]),
            ("tileKernelFunction", p, [p]),
            ("tileKernelLaunch", p, [p, c.POINTER(TileArg), c.c_size_t, p, c.c_uint32]),
        ):
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, args
        for number, name in enumerate(TYPES):
            if self.lib.tileElementTypeName(number) != name.encode():
                raise LaunchError(f"element type {number}: expected {name} in the runtime")
        device = p()
        self.check(self.lib.tileDeviceOpen(driver.encode() if driver else None, ordinal, c.byref(device)))
        self.device = device
        self.kernels = {}

    def check(self, error):
        if error:
            message = self.lib.tileErrorMessage(error).decode()
            self.lib.tileErrorDestroy(error)
            raise LaunchError(message)

    def kernel(self, name):
        """The kernel of artifacts/NAME.tile, loaded once."""
        if name not in self.kernels:
            data = (self.folder / "artifacts" / f"{name}.tile").read_bytes()
            artifact = ctypes.c_void_p()
            self.check(self.lib.tileArtifactLoadBytes(self.device, data, len(data), ctypes.byref(artifact)))
            self.kernels[name] = Kernel(self, name, artifact)
        return self.kernels[name]

    def unload(self, name):
        kernel = self.kernels.pop(name, None)
        if kernel:
            self.lib.tileArtifactUnload(kernel.artifact)

    def synchronize(self):
        self.check(self.lib.tileDeviceSynchronize(self.device))


class Kernel:
    def __init__(self, runtime, name, artifact):
        self.runtime, self.name, self.artifact = runtime, name, artifact
        self.handle = runtime.lib.tileArtifactKernel(artifact, 0)

    def bind(self, args, stream=0):
        """args: ("memref", type, address, shape, strides) or ("scalar", type, value). Returns the launching function."""
        count = len(args)
        array, keep = (TileArg * count)(), []
        for slot, arg in zip(array, args):
            slot.type = TYPES.index(arg[1])
            if arg[0] == "scalar":
                slot.kind, slot.bits = 1, scalar_bits(arg[1], arg[2])
                continue
            _, _, data, shape, strides = arg
            extents, steps = (ctypes.c_int64 * len(shape))(*shape), (ctypes.c_int64 * len(shape))(*strides)
            keep += [extents, steps]
            slot.kind, slot.rank, slot.data, slot.shape, slot.strides = 0, len(shape), data, extents, steps
        lib, runtime, handle = self.runtime.lib, self.runtime, self.handle
        call, flags = lib.tileKernelLaunch, 0
        stream = ctypes.c_void_p(stream)

        def launch():
            nonlocal flags
            error = call(handle, array, count, stream, flags)
            if error:
                runtime.check(error)
            flags = TRUST

        launch.keep = (array, keep)
        return launch


def scalar_bits(element, value):
    kinds = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64}
    raw = bytes(kinds[element](value))
    return int.from_bytes(raw, "little")


def tensor_arg(tensor, element):
    """A torch tensor as an argument of `bind`."""
    return ("memref", element, tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()))
