#!/usr/bin/env python3
# ---
# title: Summarize response times
# description: |
#   Computes percentiles of response times, and whether an objective is met.
#
#   Percentiles are nearest-rank: each is one of the samples.
# effect: read
# display: {kind: other, detail: objective.limit}
# timeout: 10s
# input:
#   type: object
#   additionalProperties: false
#   required: [samples]
#   properties:
#     samples:
#       type: array
#       description: Response times, in any order.
#       minItems: 1
#       maxItems: 100000
#       items: {type: number, minimum: 0}
#     unit: {type: string, enum: [us, ms, s], default: ms, description: What the samples count.}
#     percentiles:
#       type: array
#       description: Which to compute. Default is 50, 95 and 99.
#       minItems: 1
#       maxItems: 20
#       items: {type: number, exclusiveMinimum: 0, maximum: 100}
#     objective:
#       type: object
#       description: What is promised.
#       additionalProperties: false
#       required: [limit]
#       properties:
#         limit: {type: number, minimum: 0, description: The longest time that is fast enough.}
#         share: {type: number, minimum: 0, maximum: 100, default: 99, description: Percent of the samples that have to be.}
# output:
#   type: object
#   required: [count, unit, mean, percentiles]
#   properties:
#     count: {type: integer}
#     unit: {type: string}
#     mean: {type: number}
#     percentiles:
#       type: array
#       items:
#         type: object
#         required: [percentile, value]
#         properties:
#           percentile: {type: number}
#           value: {type: number}
#     objective:
#       type: object
#       required: [met, within]
#       properties:
#         met: {type: boolean}
#         within: {type: number, description: Percent of the samples that are fast enough.}
# ---
"""A tool of an agent: one JSON object in, one out, and a reason on stderr if not."""

import json
import math
import statistics
import sys


class Refusal(Exception):
    """What is wrong with the arguments, for whoever sent them."""


def number(value, name):
    # To Python, True is a number as well.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Refusal(f"{name}: {value!r} is not a number")
    return value


def numbers(value, name):
    if not isinstance(value, list) or not value:
        raise Refusal(f"{name}: want a list of at least one number")
    return [number(v, f"{name}[{i}]") for i, v in enumerate(value)]


def nearest_rank(ordered, percentile):
    if not 0 < percentile <= 100:
        raise Refusal(f"percentiles: {percentile} is not above 0 and at most 100")
    return ordered[max(math.ceil(len(ordered) * percentile / 100), 1) - 1]


def summarize(arguments):
    ordered = sorted(numbers(arguments.get("samples"), "samples"))
    if ordered[0] < 0:
        raise Refusal(f"samples: {ordered[0]} is less than nothing; a response takes time")
    summary = {
        "count": len(ordered),
        "unit": arguments.get("unit") or "ms",
        "mean": round(statistics.fmean(ordered), 3),
        "percentiles": [
            {"percentile": p, "value": nearest_rank(ordered, p)}
            for p in numbers(arguments.get("percentiles") or [50, 95, 99], "percentiles")
        ],
    }
    objective = arguments.get("objective")
    if objective is not None:
        limit = number(objective.get("limit"), "objective.limit")
        share = number(objective.get("share", 99), "objective.share")
        within = 100 * sum(s <= limit for s in ordered) / len(ordered)
        summary["objective"] = {"met": within >= share, "within": round(within, 3)}
    return summary


def main():
    try:
        arguments = json.load(sys.stdin)
        if not isinstance(arguments, dict):
            raise Refusal("the arguments are not a JSON object")
        json.dump(summarize(arguments), sys.stdout, ensure_ascii=False)
    except (Refusal, json.JSONDecodeError) as err:
        print(err, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
