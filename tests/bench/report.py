#!/usr/bin/env python3
"""Turns the JSON of augur_bench into the Markdown page of one machine.

    augur_bench --json bench.json
    tests/bench/report.py bench.json > docs/benchmarks/MACHINE.md
    tests/bench/report.py bench.json --title "One NVIDIA H200" --commit "$(git rev-parse --short HEAD)"

Needs nothing but Python's standard library. Every figure of the page is in the JSON; nothing is left out because it is bad.
"""

import argparse
import json
import sys

METRICS = {  # name in the JSON: (unit, more is better)
    "median_ms": ("ms", False),
    "search_ms": ("ms of search", False),
    "million_searched_per_s": ("M sim/s of search", True),
    "million_simulations_per_s": ("M sim/s", True),
    "million_simulations_per_s_and_worker": ("M sim/s per core", True),
    "p99_overrun_us": ("us late at p99", False),
    "host_cpu_us": ("us of CPU", False),
    "host_cpu_p99_us": ("us of CPU at p99", False),
    "telemetry_percent": ("% of the frame", False),
    "carry_us": ("us of carrying over", False),
    "memory_mb": ("MB", False),
}


def digits(value):
    """A number with four significant digits, without an exponent."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    places = max(0, 3 - len(str(int(abs(value)))) + (1 if abs(value) >= 1 else 0))
    if abs(value) < 1:
        places = 3 if abs(value) >= 0.1 else 4
    return f"{value:,.{places}f}"


def table(heads, rows, left=2):
    """Markdown lines; the first `left` columns are words, the others numbers."""
    if not rows:
        return ["Nothing was measured.", ""]
    rule = ["---" if i < left else "---:" for i in range(len(heads))]
    lines = [heads, rule] + [[str(cell) for cell in row] for row in rows]
    return ["| " + " | ".join(line) + " |" for line in lines] + [""]


def is_target(baseline):
    return baseline["name"].startswith("target")


def peer_name(baseline):
    """The name without its unit: "mctx gumbel + network, ms" is "mctx gumbel + network"."""
    return baseline["name"].rsplit(",", 1)[0]


def verdict(baseline):
    ours, value = baseline["ours"], baseline["value"]
    _, more_is_better = METRICS[baseline["metric"]]
    if (ours >= value) if more_is_better else (ours <= value):
        return "met"
    short = (1 - ours / value) if more_is_better else (ours / value - 1)
    return f"**falls short by {100 * short:,.0f} %**"


def times(baseline):
    ratio = baseline["ratio"]
    return "-" if ratio >= 1e4 else f"{digits(ratio)} x"


def compared(rows, wanted):
    """(row, baseline) of measured rows whose baselines are targets, or are not."""
    for row in rows:
        for baseline in row.get("baselines", []):
            if "ours" in baseline and is_target(baseline) == wanted:
                yield row, baseline


def targets(rows):
    lines = []
    for row, baseline in compared(rows, True):
        unit, _ = METRICS[baseline["metric"]]
        lines.append([row["name"], row["device"], f"{digits(baseline['ours'])} {unit}", digits(baseline["value"]),
                      times(baseline), verdict(baseline)])
    return table(["case", "device", "ours", "target", "times as good", "verdict"], lines)


def peers(rows):
    lines = []
    for row, baseline in compared(rows, False):
        unit, _ = METRICS[baseline["metric"]]
        lines.append([row["name"], row["device"], peer_name(baseline), f"{digits(baseline['ours'])} {unit}",
                      digits(baseline["value"]), times(baseline)])
    return table(["case", "device", "beside", "ours", "theirs", "times as good"], lines, left=3)


def rate(row):
    """Million simulations a second; "-" where nothing was searched."""
    return digits(row["simulations_per_s"] / 1e6) if "simulations_per_s" in row else "-"


def frames(rows):
    lines = []
    for row in rows:
        if "frame_ms" not in row or row["kind"] in ("host_cost", "telemetry"):
            continue
        frame = row["frame_ms"]
        memory = row["device_bytes" if row["device"] == "cuda" else "host_bytes"]
        lines.append([row["name"], row["device"], frame["count"], digits(frame["median"]), digits(frame["p99"]),
                      digits(frame["max"]), f"{100 * row['share_of_60hz_frame']:.2f} %",
                      f"{row['simulations_per_frame']:,.0f}", rate(row),
                      digits(row["host_cpu_us"]["median"]), digits(memory / 1e6)])
    return table(["case", "device", "frames", "median ms", "p99 ms", "max ms", "of 16.7 ms", "simulations", "M sim/s",
                  "host CPU us", "MB"], lines)


def budgets(rows):
    lines = []
    for row in rows:
        if row["kind"] != "budget" or "frame_ms" not in row:
            continue
        allowed = next(b["value"] for b in row["baselines"] if is_target(b))
        lines.append([row["name"], row["device"], row["budget_us"], digits(row["frame_ms"]["median"] * 1e3),
                      digits(row["frame_ms"]["p99"] * 1e3), digits(row["ready_ms"]["p99"] * 1e3),
                      digits(row["p99_overrun_us"]), digits(allowed),
                      digits(row["simulations_per_frame"] / row["agents"])])
    return table(["case", "device", "budget us", "median us", "p99 us", "actions ready, p99 us", "p99 late us",
                  "allowed us", "simulations an agent"], lines)


def host_costs(rows):
    lines = []
    for row in rows:
        if row["kind"] != "host_cost" or "frame_ms" not in row:
            continue
        cpu, request, collect, machine = (row[part + "_us"] for part in ("host_cpu", "request", "collect", "machine"))
        lines.append([row["name"], row["device"], cpu["count"], digits(cpu["median"]), digits(cpu["p99"]),
                      digits(request["median"]), digits(request["p99"]), digits(collect["median"]),
                      digits(collect["p99"]), digits(machine["median"]), digits(machine["p99"])])
    return table(["case", "device", "frames", "CPU us, median", "CPU us, p99", "request us", "request us, p99",
                  "collect us", "collect us, p99", "arithmetic us", "arithmetic us, p99"], lines)


def carrying(rows):
    lines = []
    for row in rows:
        if "carry_us" not in row:
            continue
        carry = row["carry_us"]
        lines.append([row["name"], row["device"], digits(carry["median"]), digits(carry["p99"]), digits(carry["max"]),
                      f"{100 * row['trees_carried']:.0f} %", f"{100 * row['trees_warmed']:.0f} %",
                      f"{row['nodes_carried']:.1f}"])
    return table(["case", "device", "carrying us, median", "p99", "max", "trees carried", "begun warm", "nodes of one"],
                 lines)


def telemetry(rows):
    lines = []
    for row in rows:
        if row["kind"] != "telemetry" or "frame_ms" not in row:
            continue
        lines.append([row["name"], row["device"], row["telemetry_us"]["count"], digits(row["frame_ms"]["median"]),
                      digits(row["telemetry_us"]["median"]), f"{row['telemetry_percent']:.2f} %",
                      digits(row["inspect_us"]["median"]), digits(row["inspect_us"]["p99"]),
                      digits(row["trace_ms"]["median"])])
    return table(["case", "device", "pairs", "frame ms", "watched, more us", "of the frame", "the calls alone us",
                  "the same, p99", "trace of 256 frames, ms"], lines)


def memory(rows):
    lines = []
    for row in rows:
        if row["kind"] == "memory" and "device_bytes" in row:
            lines.append([row["name"], row["device"], digits(row["device_bytes"] / 1e6),
                          digits(row["host_bytes"] / 1e6), row["bytes_per_node"]])
    return table(["case", "device", "GPU MB", "host MB", "bytes a node"], lines)


def workers(rows):
    lines, one = [], None
    for row in rows:
        if not row["name"].startswith("workers/") or "frame_ms" not in row:
            continue
        rate = row["simulations_per_s"] / 1e6
        one = one or rate / row["workers"]
        lines.append([row["workers"], digits(rate), digits(rate / row["workers"]),
                      f"{100 * rate / row['workers'] / one:.0f} %", digits(row["simulations_per_cpu_s"] / 1e6)])
    return table(["workers", "M sim/s", "per worker", "of the first row's", "per second of CPU time"], lines, left=0)


def crossover(data, game):
    medians = {}
    for row in data["rows"]:
        if row["kind"] == "crossover" and row["game"] == game and "frame_ms" in row:
            medians.setdefault(row["agents"], {})[row["device"]] = row["frame_ms"]["median"]
    lines = [[agents, digits(by.get("cpu")), digits(by.get("cuda"))] for agents, by in sorted(medians.items())]
    result = table(["agents", "CPU ms", "GPU ms"], lines, left=0)
    for found in data["crossover"]:
        if found["game"] == game:
            agents = found["gpu_faster_from_agents"]
            result += [f"The GPU answers sooner from {agents} agents on." if agents else
                       "The CPU answers sooner at every count measured.", ""]
    return result


def page(data, title, commit):
    rows = data["rows"]
    cpu, gpu = data["cpu"], data.get("gpu")
    lines = [f"# Benchmarks: {title or (gpu or cpu)['name']}", ""]
    if gpu:
        lines += [f"- GPU: {gpu['name']}, driver {gpu['driver']}, CUDA {gpu['cuda_runtime']}"]
    lines += [f"- CPU: {cpu['name']}, {cpu['cores']} cores",
              f"- Augur {data['library']}" + (f", commit {commit}" if commit else "") + f", {data['date']}",
              f"- Command: `{data['command']}`", ""]
    if data["quick"]:
        lines += ["A quick run: few frames, no figure to be relied on.", ""]
    lines += ["A frame is timed by the host from the request call until a waiting collect returned, the game's arrays being "
              "host memory unless the name says otherwise. Percentiles are samples. Unless the name says early_stop, a tree "
              "ends before its last simulation only where the outcome is proven; M sim/s counts simulations that were done. "
              "\"Times as good\" is above 1 where Augur does better. Memory is in 10^6 bytes.", ""]
    if data["different_answers"]:
        lines += ["**The backends gave different answers in: " + ", ".join(data["different_answers"]) + ".**", ""]
    elif gpu and any(row["device"] == "cpu" for row in rows):
        lines += ["CPU and GPU gave the same decision hash in every case that both ran, those that time may cut short "
                  "left out.", ""]
    lines += ["## Against the targets", ""] + targets(rows)
    lines += ["## Beside others", "",
              "The figures of mctx include a small network where Augur plays random rollouts: context, not a race.", ""]
    lines += peers(rows)
    lines += ["## Frames", ""] + frames(rows)
    lines += ["## Budgets in microseconds", ""] + budgets(rows)
    lines += ["## What the game's thread pays", "",
              "Request, and a collect that is called when the frame is done. On the CPU backend a request also wakes a worker. "
              "Arithmetic: CPU time of a loop that should take 15 us and needs neither memory nor system, once in each of the "
              "same frames: what its p99 has more than its median, this machine adds to anything as long.",
              ""] + host_costs(rows)
    lines += ["## Trees carried over", "",
              "The stage that looks for each agent's state in its last tree and keeps what lies below it. The world stands still, "
              "is played (action and answer), has each agent in another's place (reset), or moves a little (warm).",
              ""] + carrying(rows)
    lines += ["## What it costs to be watched", "",
              "Frames in turns, one of which is watched: counters, the stages with their times and all five distributions are "
              "read after it. Stages, counters and windows are kept always, whoever looks; that is part of request and collect. "
              "A trace is written on demand.", ""] + telemetry(rows)
    lines += ["## Memory", ""] + memory(rows)
    lines += ["## CPU workers, Connect Four, 4,096 trees x 32 simulations", ""] + workers(rows)
    for game, words in (("connect_four", "Connect Four"), ("skirmish", "skirmish")):
        lines += [f"## CPU or GPU: {words}, 32 simulations, all cores against the GPU", ""] + crossover(data, game)
    missing = [[row["name"], row["device"], row.get("failed") or row["skipped"]]
               for row in rows if "failed" in row or "skipped" in row]
    if missing:
        lines += ["## Not measured", ""] + table(["case", "device", "why"], missing, left=3)
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description="Turns the JSON of augur_bench into Markdown on standard output.")
    parser.add_argument("json", help="file written by augur_bench --json")
    parser.add_argument("--title", help="name of the machine [default: the GPU's name]")
    parser.add_argument("--commit", help="what was measured")
    arguments = parser.parse_args()
    try:
        with open(arguments.json, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"report.py: {arguments.json}: {error}")
    if data.get("program") != "augur_bench":
        sys.exit(f"report.py: {arguments.json} was not written by augur_bench")
    sys.stdout.write(page(data, arguments.title, arguments.commit))


if __name__ == "__main__":
    main()
