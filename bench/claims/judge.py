"""Judges claims by records: what is asked, what was reached, and by which run.

The rules:
- A run is a machine, a device and a number of threads. Runs are never averaged.
- If a matrix was measured more than once in a run, the last record that has a value counts.
- Rows that were found wrong and matrices that failed are left out.
- A claim over named kinds of matrices needs all of them. A run that lacks one does not judge it.
- The run with the most matrices counts, and the last one of equals.
- A claim is "not measured" if no run judges it.
"""
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import records as rec


def geometric_mean(values, _limit):
    return 0.0 if min(values) <= 0 else math.exp(sum(map(math.log, sorted(values))) / len(values))


def share(values, fits):
    return 100 * sum(map(fits, values)) / len(values)


# The figures that sum up the rows of a run, by the name that a table shows.
FIGURES = {
    "geometric mean": geometric_mean,
    "least": lambda values, _: min(values),
    "most": lambda values, _: max(values),
    "share up to": lambda values, limit: share(values, lambda value: value <= limit),
    "share below": lambda values, limit: share(values, lambda value: value < limit),
    "share above": lambda values, limit: share(values, lambda value: value > limit),
    "number above": lambda values, limit: sum(value > limit for value in values),
}


@dataclass
class Row:
    run: str
    name: str
    commit: str
    value: float
    detail: str
    label: str


@dataclass
class Outcome:
    """The figure of one run. `lacks`: the kinds that the claim needs and the run has not."""
    run: str
    rows: int
    value: float
    met: bool
    commits: list
    lacks: list


@dataclass
class Claim:
    """`kind`: of the records that it is about. `range`: which matrices, in words; `applies` is the same in code.
    `value`: of a record, (number, detail) or None where the record does not say. `needs`: labels that a run must have,
    each a value of `label`."""
    group: str
    text: str
    range: str
    source: str
    figure: str
    target: float
    value: Callable
    kind: str = "bench"
    applies: Callable = lambda record: True
    unit: str = "x"
    at_least: bool = True
    limit: float = 0
    needs: frozenset = frozenset()
    label: Callable = lambda record: rec.Source(record).name
    rows: list = field(default_factory=list)
    outcomes: list = field(default_factory=list)
    counts: Outcome | None = None

    @property
    def verdict(self):
        if self.counts is None:
            return "not measured"
        return "met" if self.counts.met else "missed"

    @property
    def asked(self):
        return f"{'>=' if self.at_least else '<='} {self.shown(self.target)}"

    def shown(self, value):
        if self.unit in ("x", "%"):
            return f"{value:.2f}x" if self.unit == "x" else f"{value:.1f}%"
        return f"{value:.4g}{' ' + self.unit if self.unit else ''}"


def rows_of(claim, sourced):
    """The last row of each matrix of each run, in the order of their first appearance."""
    found = {}
    for source, record in sourced:
        try:
            value = claim.value(record) if claim.applies(record) else None
        except KeyError as key:
            raise rec.RecordError(f"{source}: the record of {record['matrix'].get('name')} lacks {key}") from None
        if value is None or not math.isfinite(value[0]):
            continue
        row = Row(rec.run_of(source, record), record["matrix"]["name"], rec.commit_of(record), value[0], value[1],
                  claim.label(record) if claim.needs else "")
        found[row.run, row.name] = row
    return list(found.values())


def outcome_of(claim, run):
    rows = [row for row in claim.rows if row.run == run]
    value = FIGURES[claim.figure]([row.value for row in rows], claim.limit)
    met = value >= claim.target if claim.at_least else value <= claim.target
    return Outcome(run, len(rows), value, met, sorted({row.commit for row in rows}),
                   sorted(claim.needs - {row.label for row in rows}))


def judge_one(claim, found):
    claim.rows = rows_of(claim, found[claim.kind])
    claim.outcomes = [outcome_of(claim, run) for run in dict.fromkeys(row.run for row in claim.rows)]
    for outcome in claim.outcomes:
        if not outcome.lacks and (claim.counts is None or outcome.rows >= claim.counts.rows):
            claim.counts = outcome
    return claim


def judge(claims, found):
    """Judges the claims, in place. found: as records.read gives it."""
    return [judge_one(claim, found) for claim in claims]


def as_json(claim):
    counts = claim.counts
    return {
        "group": claim.group, "text": claim.text, "range": claim.range, "source": claim.source,
        "figure": claim.figure, "unit": claim.unit, "target": claim.target, "at_least": claim.at_least,
        "asked": claim.asked, "reached": counts.value if counts else None, "run": counts.run if counts else None,
        "verdict": claim.verdict, "outcomes": [vars(outcome) for outcome in claim.outcomes],
        "rows": [{key: value for key, value in vars(row).items() if key != "label"} for row in claim.rows],
    }


def note(claim):
    """Why an incomplete run did not judge the claim; whether the figure is of several states of the program."""
    lacking = [outcome for outcome in claim.outcomes if outcome.lacks]
    if claim.counts is None:
        return f" [the run lacks {', '.join(lacking[-1].lacks)}]" if lacking else ""
    return f" [{len(claim.counts.commits)} commits]" if len(claim.counts.commits) > 1 else ""


VERDICTS = ("missed", "not measured", "met")


def table(claims):
    """The claims as lines of text: what was missed first, and by group."""
    lines = [("reached", "asked", "of", "claim (range; source)")]
    for verdict in VERDICTS:
        found = [claim for claim in claims if claim.verdict == verdict]
        lines.append(("", "", "", f"== {verdict}: {len(found)} =="))
        group = None
        for claim in found:
            if claim.group != group:
                lines.append(("", "", "", f"{claim.group}:"))
            group = claim.group
            counts = claim.counts
            lines.append((claim.shown(counts.value) if counts else "-", claim.asked, str(counts.rows) if counts else "-",
                          f"  {claim.text} ({claim.range}; {claim.source}){note(claim)}"))
    widths = [max(len(line[i]) for line in lines) for i in range(3)]
    return "".join(f"{a:>{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() + "\n"
                   for a, b, c, d in lines)
