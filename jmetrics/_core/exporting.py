"""Results and states as `jax.export` writes them to files."""

from __future__ import annotations

import json
from typing import TypeVar

from jax import export

Node = TypeVar("Node", bound=type)


def exportable(cls: Node) -> Node:
    """Let functions that take or return such a tree of arrays be serialized by `jax.export`.

    Its static fields, if it is a dataclass that has any, must be numbers, texts or None. Files
    hold the name of the class without its module, which may change.
    """
    name = f"jmetrics.{cls.__name__}"
    if issubclass(cls, tuple):
        export.register_namedtuple_serialization(cls, serialized_name=name)
    else:
        export.register_pytree_node_serialization(
            cls,
            serialized_name=name,
            serialize_auxdata=lambda static: json.dumps(static).encode(),
            deserialize_auxdata=lambda text: tuple(json.loads(text)),
        )
    return cls
