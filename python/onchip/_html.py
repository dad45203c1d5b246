"""A launch as HTML: for a notebook's cell, and as a page that needs nothing else."""
from __future__ import annotations

from html import escape

_STYLE = ("body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
          "pre{overflow-x:auto;line-height:1.35}td{padding:0 1.5em 0 0}td+td{text-align:right}")


def _pre(text):
    return f"<pre>{escape(text.rstrip())}</pre>\n"


def _folded(head, text, opened=False):
    """A part that can be shown and hidden; none of an empty text."""
    return f"<details{' open' if opened else ''}><summary>{head}</summary>\n{_pre(text)}</details>\n" if text else ""


def cell(launch) -> str:
    """What limits it, how long it took, the chart, and the source."""
    grid, block = ("×".join(map(str, shape)) for shape in (launch.grid, launch.block))
    head = f"<b>{escape(launch.shown)}</b> on {escape(launch.gpu)}: grid {grid}, block {block}"
    if launch.error:
        head += f"<br>ended early: {escape(launch.error)}"
    if launch.limited_by:
        head += f"<br>limited by {escape(launch.limited_by)}<br>{launch.cycles} cycles, IPC {launch['ipc']:.3f}"
    else:
        head += "<br>executed without time"
    return (f"<div class=\"onchip\">\n<p>{head}</p>\n" + _folded("Memory chart", launch.chart(), True) +
            _folded("Source", launch.annotate(), True) + "</div>")


def _table(head, values):
    rows = "".join(f"<tr><td>{escape(n)}</td><td>{v:.6g}</td></tr>\n" if isinstance(v, float) else
                   f"<tr><td>{escape(n)}</td><td>{v}</td></tr>\n" for n, v in values.items())
    return f"<details><summary>{head}</summary>\n<table>\n{rows}</table></details>\n"


def page(launch, title: str) -> str:
    why = _folded("Why loads missed in the L1", launch.why(), True) if launch._why else ""
    return (f"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{escape(title)}</title>"
            f"<style>{_STYLE}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n{cell(launch)}\n{why}"
            f"{_table('Rates', launch.rates)}{_table('Counters', launch.counters)}</body></html>\n")
