# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.carver.arch`: figures of the GPU that scripts ask for to size a grid."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

__all__ = ["CDNA", "CUDA", "driver", "get_num_sms"]


def _properties(device_id: int = 0) -> Any:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        raise RuntimeError(
            "figures of a GPU need PyTorch and a GPU in this process; "
            "mlir_tile compiles for a device without one: CompileOptions(device=...)"
        )
    return torch.cuda.get_device_properties(device_id)


def get_num_sms(device_id: int = 0) -> int:
    """Multiprocessors of the GPU."""
    return _properties(device_id).multi_processor_count


def get_device_name(device_id: int = 0) -> str:
    """The GPU's name."""
    return _properties(device_id).name


driver = SimpleNamespace(
    get_num_sms=get_num_sms,
    get_device_name=get_device_name,
    get_cuda_device_properties=_properties,
    get_max_dynamic_shared_size_bytes=lambda device_id=0: (
        _properties(device_id).shared_memory_per_block_optin
    ),
)


class CUDA:
    """Figures of a GPU as an architecture object."""

    def __init__(self, target: Any = "cuda") -> None:
        properties = _properties()
        self.target = target
        self.compute_max_core = properties.multi_processor_count
        self.warp_size = 32
        self.smem_cap = properties.shared_memory_per_block_optin


class CDNA:
    """Another vendor's architecture: named by scripts that choose, never made."""

    def __init__(self, target: Any = "hip") -> None:
        raise ValueError(f"{target}: this compiler is for NVIDIA GPUs")
