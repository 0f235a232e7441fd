"""Shows the README first, and builds no site while a public name has no place on its pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

import jmetrics

README = Path(__file__).parents[1] / "README.md"

_shown: set[str] = set()


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Make the README the first page; its links begin elsewhere."""
    if page.file.src_path != "index.md":
        return markdown
    text = README.read_text().replace("](docs/", "](").replace("[LICENSE](LICENSE)", "LICENSE")
    return text.replace("](CONTRIBUTING.md)", "](contributing.md)")


def on_page_content(html: str, **_: Any) -> None:
    """Note which names a page explains."""
    _shown.update(re.findall(r'id="jmetrics\.([\w.]+)"', html))


def on_post_build(**_: Any) -> None:
    """Compare them with the public ones."""
    missing = sorted(set(public_names()) - {name.rpartition(".")[2] for name in _shown})
    if missing:
        raise PluginError(f"public names without a place in the reference: {', '.join(missing)}")


def public_names() -> list[str]:
    """Every public function and class, without what holds them."""
    modules = [jmetrics, *(getattr(jmetrics, name) for name in jmetrics.__all__)]
    return [
        name
        for module in modules
        for name in getattr(module, "__all__", [])
        if not hasattr(getattr(module, name), "__path__") and callable(getattr(module, name))
    ]
