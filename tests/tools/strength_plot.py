#!/usr/bin/env python3
"""Draws docs/benchmarks/strength.svg and writes the tables of docs/benchmarks/strength.md from stored results.

    python3 tests/tools/strength_plot.py docs/benchmarks

Reads strength/augur.csv (augur_strength), strength/openspiel.csv and strength/openspiel_no_solver.csv (openspiel_strength.py)
of that folder, and replaces what stands between the two marks of strength.md. Needs nothing but Python.
"""

import csv
import math
import pathlib
import sys

SETS = [
    ("Test_L3_R1", "End of the game, easy (Test_L3_R1)"),
    ("Test_L2_R1", "Middle game, easy (Test_L2_R1)"),
    ("connect_four_solved", "Committed positions, each with a choice"),
]
SERIES = [  # key, label, colour, dash
    ("uct", "Augur, UCT", "#0b6e99", ""),
    ("puct", "Augur, PUCT", "#c2410c", ""),
    ("openspiel", "OpenSpiel, UCT with solver", "#6b7280", "6 4"),
    ("openspiel_no_solver", "OpenSpiel, UCT", "#9ca3af", "2 3"),
]
WIDTH, PANEL, GAP, TOP, PLOT, LEFT = 1180, 340, 34, 86, 300, 60
BEGIN, END = "<!-- tables begin -->", "<!-- tables end -->"
LOWEST = 0.05  # percent; fewer than one mistake in 2,000 is drawn here


def read(path, key_of):
    table = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = key_of(row)
            if key is not None:
                cell = (row["set"], key, int(row["simulations"]))
                table[cell] = (int(row["mistakes"]), int(row["positions"]))
    return table


def load(folder):
    table = read(folder / "augur.csv", lambda row: row["selection"] if row["search"] == "forest" else None)
    table.update(read(folder / "openspiel.csv", lambda row: "openspiel"))
    table.update(read(folder / "openspiel_no_solver.csv", lambda row: "openspiel_no_solver"))
    return table


def percent(cell):
    return 100.0 * cell[0] / cell[1]


def x_of(panel, simulations):
    return LEFT + panel * (PANEL + GAP) + PANEL * math.log2(simulations) / 12


def y_of(value):
    top, bottom = math.log10(100), math.log10(LOWEST)
    return TOP + PLOT * (top - math.log10(max(value, LOWEST))) / (top - bottom)


def text(x, y, words, size=13, anchor="middle", colour="#374151", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" {extra}>{words}</text>'


def draw(table):
    height = TOP + PLOT + 62
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        text(LEFT, 24, "Mistakes on solved Connect Four positions, random rollouts", 17, "start", "#111827",
             'font-weight="600"'),
    ]
    x = LEFT
    for _, label, colour, dash in SERIES:
        out.append(f'<line x1="{x}" y1="46" x2="{x + 26}" y2="46" stroke="{colour}" stroke-width="2.5" '
                   f'stroke-dasharray="{dash}"/>')
        out.append(text(x + 33, 50.5, label, 13, "start"))
        x += 60 + 7.4 * len(label)
    for panel, (name, title) in enumerate(SETS):
        left = x_of(panel, 1)
        out.append(text(left + PANEL / 2, TOP - 12, title, 13, "middle", "#111827", 'font-weight="600"'))
        for value in (0.1, 1, 10, 100):
            y = y_of(value)
            out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + PANEL}" y2="{y:.1f}" stroke="#e5e7eb"/>')
            if panel == 0:
                out.append(text(left - 8, y + 4.5, f"{value:g} %", 12, "end"))
        for simulations in (1, 4, 16, 64, 256, 1024, 4096):
            px = x_of(panel, simulations)
            out.append(f'<line x1="{px:.1f}" y1="{TOP}" x2="{px:.1f}" y2="{TOP + PLOT}" stroke="#f3f4f6"/>')
            out.append(text(px, TOP + PLOT + 19, f"{simulations:,}", 12))
        out.append(f'<rect x="{left}" y="{TOP}" width="{PANEL}" height="{PLOT}" fill="none" stroke="#9ca3af"/>')
        for key, _, colour, dash in reversed(SERIES):
            points = [(s, table[(name, key, s)]) for s in (2**i for i in range(13)) if (name, key, s) in table]
            path = " ".join(f"{x_of(panel, s):.1f},{y_of(percent(cell)):.1f}" for s, cell in points)
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2" '
                       f'stroke-dasharray="{dash}"/>')
            for s, cell in points:
                out.append(f'<circle cx="{x_of(panel, s):.1f}" cy="{y_of(percent(cell)):.1f}" r="3" fill="{colour}"/>')
    middle = LEFT + (3 * PANEL + 2 * GAP) / 2
    out.append(text(middle, TOP + PLOT + 46, "simulations per decision", 13))
    out.append("</svg>")
    return "\n".join(out) + "\n"


def tables(table, augur_csv):
    out = []
    for name, title in SETS:
        positions = next(cell[1] for key, cell in table.items() if key[0] == name and key[1] == "openspiel")
        out.append(f"### {title}, {positions:,} positions\n")
        out.append("| simulations | " + " | ".join(label for _, label, _, _ in SERIES) + " |")
        out.append("|---:" * (len(SERIES) + 1) + "|")
        for simulations in sorted({key[2] for key in table if key[0] == name}):
            cells = [table.get((name, key, simulations)) for key, _, _, _ in SERIES]
            words = ["" if cell is None else f"{percent(cell):.1f} %" for cell in cells]
            out.append(f"| {simulations:,} | " + " | ".join(words) + " |")
        out.append("")
    out.append("### One large tree against one simulation after the other, 1,000 simulations\n")
    waves = {}
    with open(augur_csv, newline="") as file:
        for row in csv.DictReader(file):
            if int(row["simulations"]) == 1000:
                waves[(row["search"], row["selection"], row["set"])] = (int(row["mistakes"]), int(row["positions"]))
    order = ["forest"] + sorted({key[0] for key in waves if key[0] != "forest"}, key=lambda name: int(name[4:]))
    out.append("| search | " + " | ".join(f"{sel.upper()}, {name}" for sel in ("puct", "uct") for name, _ in SETS) + " |")
    out.append("|---" + "|---:" * 6 + "|")
    for search in order:
        label = "sequential (forest)" if search == "forest" else f"tree, {search[4:]} leaves a wave"
        cells = [waves.get((search, sel, name)) for sel in ("puct", "uct") for name, _ in SETS]
        out.append(f"| {label} | " + " | ".join("" if c is None else f"{percent(c):.2f} %" for c in cells) + " |")
    return "\n".join(out)


def main():
    folder = pathlib.Path(sys.argv[1])
    table = load(folder / "strength")
    (folder / "strength.svg").write_text(draw(table))
    page = folder / "strength.md"
    before, rest = page.read_text().split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n\n{tables(table, folder / 'strength' / 'augur.csv')}\n\n{END}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
