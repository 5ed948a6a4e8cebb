"""Kernels that only kernels call, translated once and optimised where they end up.

Numba makes machine code of every kernel, with everything that it calls inside: what is at the
bottom of eight calls is optimised eight times. Of a kernel that Python never calls only the
translation is of use. It is handed on as it is; the one that Python calls optimises all of its
parts together.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, codegen, compiler

build: Any = cgutils  # without types, as those below
numba_code: Any = codegen
numba_compiler: Any = compiler
llvm: Any = numba_code.ll

SURROUNDINGS = "_ZN08NumbaEnv"
"""How names of kernels' surroundings begin, to which Numba writes when a kernel is loaded."""


class PartLibrary(numba_code.JITCodeLibrary):
    """What a kernel was translated to, for its callers to take in; no machine code."""

    _final_module: Any

    def _optimize_functions(self, module: Any) -> None:
        """Leave a function as it is."""

    def _optimize_final_module(self) -> None:
        """Keep everything for callers, and leave next to nothing to make machine code of."""
        whole = self._final_module
        for function in whole.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # callers may have it twice, or inlined
        rest = self.create_ir_module(self.name)
        for variable in whole.global_variables:
            if variable.name.startswith(SURROUNDINGS):
                place = build.add_global_variable(rest, build.voidptr_t, name=variable.name)
                place.linkage = "common"
                place.initializer = build.get_null_value(place.type.pointee)
        self._shared_module = whole
        self._final_module = llvm.parse_assembly(str(rest))


class PartCompiler(numba_compiler.Compiler):
    """Compiler of kernels that only kernels call."""

    def define_pipelines(self) -> Any:
        """Numba's own, into another library."""
        state = self.state
        if state.library is None:
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()
