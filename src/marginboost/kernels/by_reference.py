"""Named tuples of many arrays, handed from kernel to kernel as one address.

Numba hands on a tuple item by item, and every array as seven numbers and more: thirty arrays are
some three hundred arguments of each call, which every kernel on the way has to be compiled for. The
one that Python calls writes the tuple to memory once (:func:`by_reference`) and hands on where it
is; the others read what they need. They write ``job.rows`` as ever.
"""

from __future__ import annotations

from typing import Any

from numba import extending
from numba.core import datamodel, imputils, types
from numba.core.typing import templates

from .jit import build, intrinsic

numba: Any = extending  # without types, as those below
numba_types: Any = types
numba_models: Any = datamodel.models
numba_templates: Any = templates
numba_values: Any = imputils


class Reference(numba_types.Type):
    """Type of the address of a named tuple, which outlives it."""

    def __init__(self, target: Any) -> None:
        self.dtype = target
        super().__init__(name=f"Reference({target})")

    def item(self, name: str) -> Any:
        """Place and type of an item."""
        place = self.dtype.fields.index(name)
        return place, self.dtype.types[place]


numba.register_model(Reference)(numba_models.PointerModel)


@numba.infer_getattr
class ReferenceAttributes(numba_templates.AttributeTemplate):
    """Items have the types they have in the tuple."""

    key = Reference

    def generic_resolve(self, reference: Any, name: str) -> Any:
        """Type of an item, None where there is none."""
        return reference.item(name)[1] if name in reference.dtype.fields else None


@numba.lower_getattr_generic(Reference)
def _read_item(context: Any, builder: Any, reference: Any, address: Any, name: str) -> Any:
    place, kind = reference.item(name)
    where = build.gep_inbounds(builder, address, 0, place)
    value = context.data_model_manager[kind].load_from_data_pointer(builder, where)
    return numba_values.impl_ret_borrowed(context, builder, kind, value)


@intrinsic(twin=lambda job: job)
def by_reference(_: Any, job: Any) -> Any:
    """Address of a named tuple, good until the kernel returns that asks for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        model = context.data_model_manager[signature.args[0]]
        where = build.alloca_once(builder, model.get_data_type())
        builder.store(model.as_data(builder, arguments[0]), where)
        return where

    return Reference(job)(job), generate
