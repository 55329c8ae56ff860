# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types and attributes of the tile dialect. `mlir_tile.dialects.tile` has all of these names."""

from collections.abc import Sequence

from ..dialects import _tile_enum_gen as _enums
from ..ir import AffineMap, Attribute, Context, Type, TypeID

_Modes = Sequence[tuple[int, int, int]]

class FragmentSpaceAttr(Attribute):
    """`#tile.fragment`: registers spread over the threads of a block."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(cls, context: Context | None = None) -> FragmentSpaceAttr: ...

class LocalSpaceAttr(Attribute):
    """`#tile.local`: memory private to a thread."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(cls, context: Context | None = None) -> LocalSpaceAttr: ...

class TensorMemorySpaceAttr(Attribute):
    """`#tile.tmem`: Blackwell's tensor memory."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(cls, context: Context | None = None) -> TensorMemorySpaceAttr: ...

class WarpPolicyAttr(Attribute):
    """A case of WarpPolicy: how warps share the result of a gemm."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, value: _enums.WarpPolicy | int | str, context: Context | None = None
    ) -> WarpPolicyAttr:
        """Of the enumeration's case, its number or its word."""
    @property
    def value(self) -> _enums.WarpPolicy: ...

class ReduceKindAttr(Attribute):
    """A case of ReduceKind: how elements are combined."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, value: _enums.ReduceKind | int | str, context: Context | None = None
    ) -> ReduceKindAttr:
        """Of the enumeration's case, its number or its word."""
    @property
    def value(self) -> _enums.ReduceKind: ...

class AtomicKindAttr(Attribute):
    """A case of AtomicKind: an atomic read-modify-write."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, value: _enums.AtomicKind | int | str, context: Context | None = None
    ) -> AtomicKindAttr:
        """Of the enumeration's case, its number or its word."""
    @property
    def value(self) -> _enums.AtomicKind: ...

class PrecisionAttr(Attribute):
    """A case of Precision: arithmetic of an f32 gemm."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, value: _enums.Precision | int | str, context: Context | None = None
    ) -> PrecisionAttr:
        """Of the enumeration's case, its number or its word."""
    @property
    def value(self) -> _enums.Precision: ...

class CopyInstructionAttr(Attribute):
    """A case of CopyInstruction: the instruction that moves a tile."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, value: _enums.CopyInstruction | int | str, context: Context | None = None
    ) -> CopyInstructionAttr:
        """Of the enumeration's case, its number or its word."""
    @property
    def value(self) -> _enums.CopyInstruction: ...

class MmaInstructionAttr(Attribute):
    """A case of MmaInstruction: the instruction that multiplies tiles."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, value: _enums.MmaInstruction | int | str, context: Context | None = None
    ) -> MmaInstructionAttr:
        """Of the enumeration's case, its number or its word."""
    @property
    def value(self) -> _enums.MmaInstruction: ...

class EvictionPolicyAttr(Attribute):
    """A case of EvictionPolicy: how long the L2 cache should keep what a copy moves."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, value: _enums.EvictionPolicy | int | str, context: Context | None = None
    ) -> EvictionPolicyAttr:
        """Of the enumeration's case, its number or its word."""
    @property
    def value(self) -> _enums.EvictionPolicy: ...

class FragmentLayoutAttr(Attribute):
    """`#tile.fragment_layout`: who holds which element of a fragment.

    Modes are (extent, dimension, stride), fastest digit first; dimension -1 replicates.
    """

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls,
        shape: Sequence[int],
        reg: _Modes,
        lane: _Modes,
        warp: _Modes = ...,
        block: _Modes = ...,
        context: Context | None = None,
    ) -> FragmentLayoutAttr:
        """The layout of modes; ValueError, with the reason, where they make none."""
    @classmethod
    def parse_cute(
        cls, text: str, shape: Sequence[int], context: Context | None = None
    ) -> FragmentLayoutAttr:
        """From CuTe's notation: threads, then registers, over a tile of `shape`."""
    @classmethod
    def blocked(
        cls,
        shape: Sequence[int],
        threads: int,
        vector: int = 1,
        order: Sequence[int] | None = None,
        context: Context | None = None,
    ) -> FragmentLayoutAttr:
        """Coalesced: `vector` consecutive elements a thread along order[0] (the last dimension by
        default), then threads."""
    @property
    def shape(self) -> list[int]: ...
    @property
    def period(self) -> list[int]:
        """Extents of what is drawn."""
    @property
    def reg(self) -> list[tuple[int, int, int]]: ...
    @property
    def lane(self) -> list[tuple[int, int, int]]: ...
    @property
    def warp(self) -> list[tuple[int, int, int]]: ...
    @property
    def block(self) -> list[tuple[int, int, int]]: ...
    @property
    def sizes(self) -> list[int]:
        """Registers, lanes, warps and blocks."""
    @property
    def replication(self) -> int:
        """Threads that hold one element, at most."""
    @property
    def is_bijective(self) -> bool:
        """Whether every element has exactly one holder."""
    @property
    def overshoots(self) -> bool:
        """Whether some registers lie outside of the shape."""
    def element(self, reg: int, lane: int, warp: int = 0, block: int = 0) -> tuple[int, ...] | None:
        """Coordinates of what a register holds; None outside of the shape."""
    def owners(self, coordinates: Sequence[int]) -> list[tuple[int, int, int, int]]:
        """Holders (register, lane, warp, block) of an element."""
    def conversion(self, other: Attribute) -> tuple[str, str]:
        """What turns this layout into another, and why not by less."""
    def is_equivalent(self, other: Attribute) -> bool:
        """Whether both are the same map, however spelled."""
    def describe(self) -> str:
        """The layout in words."""
    def cute(self) -> str:
        """The layout in CuTe's notation."""
    def svg(self) -> str:
        """A picture of one period, below a megabyte."""

class SharedLayoutAttr(Attribute):
    """`#tile.shared_layout`: where an element of a shared-memory buffer lies.

    Modes are (extent, dimension, stride in elements), fastest digit first.
    """

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls,
        shape: Sequence[int],
        element_bits: int,
        modes: _Modes,
        swizzle: Sequence[int] = ...,
        context: Context | None = None,
    ) -> SharedLayoutAttr:
        """The layout of modes, and a swizzle (bits, base, shift) of the byte address."""
    @classmethod
    def parse_cute(
        cls, text: str, element_bits: int, context: Context | None = None
    ) -> SharedLayoutAttr:
        """From CuTe's notation: `Sw<3,3,3> o (128,64):(64,1)`."""
    @classmethod
    def row_major(
        cls,
        shape: Sequence[int],
        element_bits: int,
        padding: int = 0,
        context: Context | None = None,
    ) -> SharedLayoutAttr:
        """Rows one behind the other, `padding` elements between them."""
    @classmethod
    def swizzled(
        cls,
        shape: Sequence[int],
        element_bits: int,
        panels: bool = False,
        context: Context | None = None,
    ) -> SharedLayoutAttr:
        """Swizzled so that 16-byte accesses to eight rows touch different banks."""
    @property
    def shape(self) -> list[int]: ...
    @property
    def period(self) -> list[int]:
        """Extents of what is drawn."""
    @property
    def element_bits(self) -> int: ...
    @property
    def modes(self) -> list[tuple[int, int, int]]: ...
    @property
    def swizzle(self) -> list[int]:
        """(bits, base, shift), or nothing."""
    @property
    def size_in_bytes(self) -> int: ...
    @property
    def alignment(self) -> int:
        """Alignment of the buffer's start, in bytes."""
    def byte_offset(self, coordinates: Sequence[int]) -> int:
        """Bytes from the buffer's start to an element."""
    def aligned_elements(self, dim: int) -> int:
        """Elements along a dimension that one access may take."""
    def widest_vector(self, fragment: Attribute, dim: int) -> int:
        """Elements along a dimension that an access from a fragment may take."""
    def bank_conflicts(self, fragment: Attribute, dim: int, vector: int = 0) -> int:
        """How many times as long the worst access from a fragment takes for conflicts of banks;
        1 is free of them. `vector` 0 is the widest."""
    def matrix_conflicts(self, row_dim: int = 0, column_dim: int = 1) -> int:
        """The same of ldmatrix and stmatrix."""
    def describe(self) -> str:
        """The layout in words."""
    def cute(self) -> str:
        """The layout in CuTe's notation."""
    def svg(self) -> str:
        """A picture of one period, below a megabyte."""

class TargetAttr(Attribute):
    """`#tile.target`: the architecture, and the GPU, a module is compiled for."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(cls, arch: str, device: str = "", context: Context | None = None) -> TargetAttr: ...
    @property
    def arch(self) -> str: ...
    @property
    def device(self) -> str: ...

class TunableAttr(Attribute):
    """`#tile.tunable`: a number that a kernel leaves open, and the values it may have."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls, name: str, values: Sequence[int], context: Context | None = None
    ) -> TunableAttr: ...
    @property
    def name(self) -> str: ...
    @property
    def values(self) -> list[int]: ...

class TunedAttr(Attribute):
    """`#tile.tuned`: an attribute of a kernel as a map of its tunables."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(cls, attribute: str, value: AffineMap) -> TunedAttr: ...
    @property
    def attribute(self) -> str: ...
    @property
    def value(self) -> AffineMap: ...

class CopyPlanAttr(Attribute):
    """`#tile.copy_plan`: the instruction of a copy, and the bytes a thread moves at a time."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls,
        instruction: _enums.CopyInstruction | int | str,
        bytes: int,
        context: Context | None = None,
    ) -> CopyPlanAttr: ...
    @property
    def instruction(self) -> _enums.CopyInstruction: ...
    @property
    def bytes(self) -> int: ...

class MoveRequestAttr(Attribute):
    """`#tile.move_request`: what a program asks of an operation that moves a tile."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls,
        prefer: _enums.CopyInstruction | int | str | None = None,
        disable_tma: bool = False,
        coalesced_width: int | None = None,
        eviction_policy: _enums.EvictionPolicy | int | str | None = None,
        context: Context | None = None,
    ) -> MoveRequestAttr:
        """ValueError where nothing is asked for: an operation has no attribute then."""
    @property
    def prefer(self) -> _enums.CopyInstruction | None: ...
    @property
    def disable_tma(self) -> bool: ...
    @property
    def coalesced_width(self) -> int | None: ...
    @property
    def eviction_policy(self) -> _enums.EvictionPolicy | None: ...

class MoveDecisionAttr(Attribute):
    """`#tile.move_decision`: what is decided of an operation that moves a tile."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls,
        layout: Attribute | None = None,
        plan: Attribute | None = None,
        multicast: int | None = None,
        multicast_along: Sequence[int] = ...,
        inside: bool = False,
        groups: Sequence[int] = ...,
        in_front: bool = False,
        context: Context | None = None,
    ) -> MoveDecisionAttr:
        """ValueError where nothing is decided: an operation has no attribute then."""
    @property
    def layout(self) -> FragmentLayoutAttr | None: ...
    @property
    def plan(self) -> CopyPlanAttr | None: ...
    @property
    def multicast(self) -> int | None: ...
    @property
    def multicast_along(self) -> list[int]:
        """Dimensions of the cluster; empty: all."""
    @property
    def inside(self) -> bool: ...
    @property
    def in_front(self) -> bool: ...
    @property
    def groups(self) -> list[int]:
        """Groups of warps along each dimension of the shared buffer; empty: one group."""

class MmaPlanAttr(Attribute):
    """`#tile.mma_plan`: the instruction of a gemm, its shape, and the grid of warps."""

    def __init__(self, cast_from_attr: Attribute) -> None: ...
    @staticmethod
    def isinstance(other_attribute: Attribute) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls,
        instruction: _enums.MmaInstruction | int | str,
        m: int,
        n: int,
        k: int,
        warps: tuple[int, int],
        pair: bool = False,
        swapped: bool = False,
        context: Context | None = None,
    ) -> MmaPlanAttr: ...
    @property
    def instruction(self) -> _enums.MmaInstruction: ...
    @property
    def shape(self) -> tuple[int, int, int]:
        """(m, n, k) of one instruction."""
    @property
    def warps(self) -> tuple[int, int]:
        """Warps along m and along n."""
    @property
    def pair(self) -> bool:
        """Whether two blocks multiply as one."""
    @property
    def swapped(self) -> bool:
        """Whether the instructions multiply the transposed operands."""

class RingType(Type):
    """`!tile.ring`: a multi-stage buffer with its full/empty protocol."""

    def __init__(self, cast_from_type: Type) -> None: ...
    @staticmethod
    def isinstance(other_type: Type) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(
        cls,
        stages: int,
        buffers: Sequence[Type],
        producer: _enums.RingProducer | int | str,
        consumers: _enums.RingConsumer | int | str | Sequence[_enums.RingConsumer | int | str],
        context: Context | None = None,
    ) -> RingType:
        """A ring of `stages` slots; ValueError where there is none like that."""
    @property
    def stages(self) -> int: ...
    @property
    def buffers(self) -> list[Type]: ...
    @property
    def producer(self) -> _enums.RingProducer: ...
    @property
    def consumers(self) -> list[_enums.RingConsumer]: ...
    @property
    def uses_mbarriers(self) -> bool:
        """Whether threads of different roles may fill and read."""

class MbarrierType(Type):
    """`!tile.mbarrier<2>`: barriers that count arrivals of threads."""

    def __init__(self, cast_from_type: Type) -> None: ...
    @staticmethod
    def isinstance(other_type: Type) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(cls, count: int, context: Context | None = None) -> MbarrierType: ...
    @property
    def count(self) -> int: ...

class TokenType(Type):
    """`!tile.token`: an asynchronous operation in flight."""

    def __init__(self, cast_from_type: Type) -> None: ...
    @staticmethod
    def isinstance(other_type: Type) -> bool: ...
    @staticmethod
    def get_static_typeid() -> TypeID: ...
    @classmethod
    def get(cls, context: Context | None = None) -> TokenType: ...
