"""A self-contained file of tables and pictures."""

from __future__ import annotations

import base64
from html import escape
from typing import Any

from jmetrics.cli.report import Report, Table, tables

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff;
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .9rem .25rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 1px solid #888; font-weight: 600; }
tbody tr:nth-child(even) { background: #f6f6f6; }
.pictures { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
figure { margin: 0; } figcaption { font-weight: 600; margin-bottom: .3rem; }
img { display: block; max-width: 100%; height: auto; }
"""


def page(report: Report, images: list[Any]) -> str:
    """The whole report."""
    title = escape(report.lines[0])
    about = "".join(f"<p>{escape(line)}</p>\n" for line in report.lines[1:])
    found = "".join(f"<h2>{escape(table.title)}</h2>\n{_table(table)}" for table in tables(report))
    ends = "".join(f"<p>{escape(note)}</p>\n" for note in report.notes)
    figures = "".join(_figure(picture, image) for picture, image in images)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n{about}{found}{ends}<h2>Pictures</h2>\n"
        f'<div class="pictures">\n{figures}</div>\n</body>\n</html>\n'
    )


def _table(table: Table) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n"
        for row in table.rows
    )
    return (
        f'<div class="wide"><table>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _figure(picture: Any, image: bytes) -> str:
    width = round(96 * picture.size[0])
    encoded = base64.b64encode(image).decode()
    title = escape(picture.title)
    return (
        f'<figure><figcaption>{title}</figcaption>\n<img alt="{title}" width="{width}" '
        f'src="data:image/png;base64,{encoded}">\n</figure>\n'
    )
