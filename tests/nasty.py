"""Small files that are hard to read right, each with the answer or the error it must give.

All answers are of six rows, so that one compiled program for each metric serves all of them, and
are worked out by hand: `AUC` and `RIGHT` of the scores below, other values beside their file.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field

AUC = 8 / 9
"""0.7 and 0.9 are above all of 0.2, 0.6, 0.1, and 0.4 above two of them."""
RIGHT = 4 / 6
"""Accuracy at 0.5, where 0.4 and 0.6 are wrong; that of `HARD`, too."""
TRUTH = (0, 1, 1, 0, 1, 0)
SCORES = ("0.2", "0.7", "0.4", "0.6", "0.9", "0.1")
HARD = (0, 1, 0, 1, 1, 0)


@dataclass
class File:
    """Content of a file or of several, the arguments, and what must come of it."""

    content: str | bytes | dict[str, str | bytes]
    said: list[str] = field(default_factory=list)
    """Parts of the error, or of the report."""
    answer: dict[str, float | str | None] = field(default_factory=dict)
    """Task, rows and metrics; None for a metric that must not be reported."""
    options: list[str] = field(default_factory=list)
    name: str = "a.csv"
    """Of the first argument."""
    stdin: bytes = b""


def lines(header, *columns, sep=",", end="\n"):
    rows = zip(*columns, strict=True)
    return end.join([header, *(sep.join(map(str, row)) for row in rows), ""])


def binary(classes=("0", "1"), scores=SCORES, header="y_true,y_score", **form):
    return lines(header, [classes[k] for k in TRUTH], scores, **form)


def predicted(true, pred, header="y_true,y_pred", **form):
    return lines(header, true.split(" "), pred.split(" "), **form)


def scored(**more):
    return {"task": "binary", "ROC AUC": AUC, "accuracy": RIGHT} | more


def labels(accuracy, task="multiclass", **more):
    return {"task": task, "accuracy": accuracy} | more


def error(mae):
    return {"task": "regression", "MAE": mae}


def json_lines(*columns):
    rows = zip(*columns, strict=True)
    return "".join(f'{{"y_true": {a}, "y_score": {b}}}\n' for a, b in rows)


SIX = "1.5 2.5 3.5 4.5 5.5 6.5"
"""True values of a regression."""
NEAR = "1.5 2.5 3 4 5.5 7.5"
"""Predictions with a mean absolute error of a third."""
HARD_TEXT = " ".join(map(str, HARD))
TRUE_TEXT = " ".join(map(str, TRUTH))
ABC, ABC_PRED = "a b c a b c", "a b c a c b"
EXTRA = "NA,0.5\n0,\n"
"""Two rows with missing values."""
HEADS = "true_a,true_b,score_a,score_b"
MANY = lines("y_true,y_pred", *[[f"name{k}" for k in range(1100)]] * 2)

ANSWERS: dict[str, File] = {
    "plain": File(binary(), answer=scored(rows=6)),
    # Two classes by their names.
    "minus one and one": File(binary(("-1", "1")), answer=scored()),
    "plus one with its sign": File(binary(("-1", "+1")), answer=scored()),
    "one and two": File(binary(("1", "2")), answer=scored(), options=["--positive", "2"]),
    "lower is positive": File(
        binary(("1", "2")),
        answer=scored(**{"ROC AUC": 1 - AUC, "accuracy": 1 - RIGHT}),
        options=["--positive", "1"],
    ),
    "True and False": File(binary(("False", "True")), answer=scored()),
    "yes and no": File(binary(("no", "yes")), ['"positive": "yes"'], scored()),
    "floats of pandas": File(binary(("0.0", "1.0")), answer=scored()),
    "names with commas": File(
        binary(('"no, well"', '"yes, ill"')), answer=scored(), options=["--positive", "yes, ill"]
    ),
    "predicted name": File(binary(header="target,y_pred"), answer=scored()),
    "other case in the header": File(binary(header="Y_True,Y_Score"), answer=scored()),
    "spaces in the header": File(binary(header="y_true , y_score"), answer=scored()),
    # Scores and thresholds.
    "a probability rounded up": File(
        binary(scores=(*SCORES[:4], "1.0000001", "0.1")), ["by rounding"], scored()
    ),
    "scores of no scale": File(
        binary(scores=("-2", "7", "4", "6", "90", "-1")),
        ["--threshold T", "outside [0, 1]"],
        {"task": "binary", "ROC AUC": AUC, "accuracy": None, "log loss": None},
    ),
    "scores with a threshold": File(
        binary(scores=("-2", "7", "4", "6", "90", "-1")),
        answer=scored(**{"log loss": None}),
        options=["--threshold", "5"],
    ),
    "risk points": File(
        binary(scores=(2, 7, 4, 6, 9, 1)), answer={"task": "binary", "ROC AUC": AUC}
    ),
    "another threshold": File(binary(), answer=scored(accuracy=5 / 6), options=["--threshold=.3"]),
    # Predictions that are classes.
    "hard predictions": File(
        predicted(TRUE_TEXT, HARD_TEXT),
        ["Predictions are classes"],
        labels(RIGHT, "binary", **{"ROC AUC": None, "log loss": None}),
    ),
    "hard predictions called scores": File(
        predicted(TRUE_TEXT, HARD_TEXT, "y_true,y_score"),
        answer=labels(RIGHT, "binary", **{"ROC AUC": None, "log loss": None}),
    ),
    "hard predictions as floats": File(
        predicted(TRUE_TEXT, "0.0 1.0 0.0 1.0 1.0 0.0"), answer=labels(RIGHT, "binary")
    ),
    "hard signs": File(
        predicted("-1 1 1 -1 1 -1", "-1 1 -1 1 1 -1"), answer=labels(RIGHT, "binary")
    ),
    "yes and no, twice": File(
        predicted("no yes yes no yes no", "no yes no yes yes no"),
        answer=labels(RIGHT, "binary", recall=2 / 3),
    ),
    "yes and no, and 0 and 1": File(
        predicted("no yes yes no yes no", HARD_TEXT), answer=labels(RIGHT, "binary")
    ),
    "cats and dogs": File(
        predicted("cat dog dog cat dog cat", "cat dog cat dog dog cat"),
        ["--positive CLASS"],
        labels(RIGHT),
    ),
    "cats": File(
        predicted("cat dog dog dog dog cat", "cat dog dog dog cat dog"),
        answer=labels(RIGHT, "binary", recall=1 / 2),
        options=["--positive", "cat"],
    ),
    "one and two, twice": File(predicted("1 2 2 1 2 1", "1 2 1 2 2 1"), answer=labels(RIGHT)),
    "three classes": File(predicted(ABC, ABC_PRED), answer=labels(RIGHT, recall=None)),
    "a class that is never true": File(
        predicted(ABC, "a b c a d d"), ["never true: d"], labels(RIGHT)
    ),
    # Names of classes are as they are written.
    "floats beside whole numbers": File(
        predicted("1 2 3 1 2 3", "1.0 2.0 3.0 1.0 3.0 2.0"), answer=labels(RIGHT)
    ),
    "underscores": File(
        predicted("1_1 11 c 11 1_1 c", "1_1 11 c 1_1 11 c"),
        answer=labels(RIGHT),
        options=["--task", "multiclass"],
    ),
    "leading zeros": File(predicted("01 1 2 1 01 2", "01 1 2 01 1 2"), answer=labels(RIGHT)),
    "trailing zeros": File(
        predicted("2.10 2.1 2.5 2.1 2.10 2.5", "2.10 2.1 2.5 2.10 2.1 2.5"),
        answer=labels(RIGHT),
        options=["--task", "multiclass"],
    ),
    "beyond 2**53": File(
        predicted(
            "9007199254740993 9007199254740992 7 9007199254740992 9007199254740993 7",
            "9007199254740993 9007199254740992 7 9007199254740993 9007199254740992 7",
        ),
        answer=labels(RIGHT),
    ),
    "names of groups": File(
        lines("y_true,y_score,g", TRUTH, SCORES, ["01", "1", "1_1", "11", "2.10", "2.1"]),
        ['"01": {', '"1": {', '"1_1": {', '"11": {', '"2.10": {', '"2.1": {'],
        scored(),
        ["--group", "g"],
    ),
    "a class of letters and numbers": File(
        predicted("1 2 3+ 1 2 3+", "1 2 3+ 1 3+ 2"),
        answer=labels(RIGHT),
        options=["--task", "multiclass"],
    ),
    # Numbers.
    "numbers": File(predicted(SIX, NEAR), answer=error(1 / 3)),
    "exponents": File(predicted(SIX, "15e-1 2.5e0 +3. 4 .55E1 7.5"), answer=error(1 / 3)),
    "whole numbers that are no classes": File(
        predicted("1 2 3 1 2 3", "1 2 3 1 2 5"), answer=error(1 / 3), options=["--task=regression"]
    ),
    "thousands": File(
        predicted('"151,000.5" 7 8 9 9.5 "1,000"', '"151,001.5" 7 8 9 9.5 "1,001"'),
        answer=error(1 / 3),
        options=["--thousands", ","],
    ),
    "decimal commas": File(
        predicted("1,5 2,5 3,5 4,5 5,5 6,5", "1,5 2,5 3 4 5,5 7,5", "y_true;y_pred", sep=";"),
        answer=error(1 / 3),
        options=["--decimal", ","],
    ),
    "German numbers": File(
        predicted("1.000,5 7 8 9 9,5 1", "1.001,5 7 8 9 9,5 2", "y_true;y_pred", sep=";"),
        answer=error(1 / 3),
        options=["--decimal", ",", "--thousands", "."],
    ),
    # Missing values.
    **{
        f"{name!r} is missing": File(
            binary() + f"{name},0.5\n0,{name}\n",
            ["2 of 8 rows", "1 in y_true, 1 in y_score"],
            scored(rows=6),
            ["--na", "drop"],
        )
        for name in ("NA", "NaN", "nan", "", "NULL", "null", "<NA>", "#N/A", "N/A", "None", '""')
    },
    "an own spelling": File(
        binary() + "-99,0.5\n0,-99\n",
        ["2 of 8 rows"],
        scored(),
        ["--na=drop", "--na-values=-99"],
    ),
    "a class called None": File(
        predicted("None a b None a b", "None a b None b a"),
        answer=labels(RIGHT),
        options=["--na-values", ""],
    ),
    "missing values of a column that is not read": File(
        lines("y_true,y_score,x", TRUTH, SCORES, ["NA"] * 6), answer=scored()
    ),
    # Several columns.
    "probabilities of classes": File(
        lines(
            "y_true,p_a,p_b,p_c",
            *map(str.split, (ABC, "1 0 0 1 0 0", "0 1 0 0 0 1", "0 0 1 0 1 0")),
        ),
        answer=labels(RIGHT),
        options=["--y-score", "p_*"],
    ),
    "classes named by an option": File(
        lines("y_true,A,B,C", *map(str.split, (ABC, "1 0 0 1 0 0", "0 1 0 0 0 1", "0 0 1 0 1 0"))),
        answer=labels(RIGHT),
        options=["--y-score", "A,B,C", "--classes", "a,b,c"],
    ),
    "quantiles": File(
        lines("y_true,q10,q90", SIX.split(), NEAR.split(), NEAR.split()),
        # The mean of both losses at each distance d is d / 2.
        answer={"task": "quantile", "pinball loss, mean": 1 / 6},
    ),
    "quantiles named by an option": File(
        lines("y_true,q1,q2", SIX.split(), NEAR.split(), NEAR.split()),
        answer={"task": "quantile", "pinball loss, mean": 1 / 6},
        options=["--levels", "0.25,0.75", "--y-score", "q1,q2"],
    ),
    "labels": File(
        lines(HEADS, TRUTH, TRUTH, SCORES, HARD),
        answer={"task": "multilabel", "Hamming loss": 1 - RIGHT},
    ),
    "labels without scores": File(
        lines(HEADS, TRUTH, TRUTH, HARD, TRUTH),
        ["Predictions are labels"],
        {"task": "multilabel", "Hamming loss": 1 / 6, "ROC AUC, macro": None},
    ),
    "prediction beside its interval": File(
        lines("y_true,y_pred,y_pred_low,y_pred_high", SIX.split(), *[NEAR.split()] * 3),
        answer=error(1 / 3),
    ),
    "lists": File(
        lines("qid,y_true,y_score", (1, 1, 2, 2, 3, 3), (1, 0, 1, 0, 1, 0), (2, 1, 5, 3, 1, 0)),
        answer={"task": "ranking", "MRR": 1.0},
    ),
    # Dialects and encodings of CSV.
    "commas in a name": File(
        lines('"a, b, c";y_true;y_score', TRUTH, TRUTH, SCORES, sep=";"), answer=scored()
    ),
    "tabs": File(binary(header="y_true\ty_score", sep="\t"), answer=scored(), name="a.tsv"),
    "semicolons": File(binary(header="y_true;y_score", sep=";"), answer=scored()),
    "bars": File(binary(header="y_true|y_score", sep="|"), answer=scored()),
    "spaces": File(binary(header="y_true y_score", sep=" "), answer=scored(), name="a.txt"),
    "Windows": File(binary(end="\r\n"), answer=scored()),
    "old Macs": File(binary(end="\r"), answer=scored()),
    "byte order mark": File("\ufeff" + binary(), answer=scored()),
    "UTF-16": File(
        binary(("né", "yes")).encode("utf-16"), answer=scored(), options=["--positive=yes"]
    ),
    "Latin-1": File(
        binary(("né", "yes")).encode("latin-1"),
        ["yes"],
        scored(),
        ["--positive", "yes", "--encoding", "latin-1"],
    ),
    "quotes": File(
        '"y_true","y_score"\n'
        + "".join(f'"{a}","{b}"\n' for a, b in zip(TRUTH, SCORES, strict=True)),
        answer=scored(),
    ),
    "line breaks inside quotes": File(
        lines("note,y_true,y_score", ['"a\nb"', '"a ""b"""', *"cdef"], TRUTH, SCORES),
        answer=scored(rows=6),
    ),
    "blank lines": File(binary().replace("0,0.6", "\n0,0.6\n"), answer=scored(rows=6)),
    "no last line break": File(binary().rstrip(), answer=scored(rows=6)),
    "spaces around cells": File(binary((" 0", "1 "), [f" {s} " for s in SCORES]), answer=scored()),
    "tabs around cells": File(
        predicted(ABC, "a\t b\u00a0 c a \tc b"),
        answer=labels(RIGHT),
    ),
    "unnamed index": File(lines(",y_true,y_score", range(6), TRUTH, SCORES), answer=scored()),
    "two columns of no interest": File(
        lines("x,x,y_true,y_score", TRUTH, TRUTH, TRUTH, SCORES), answer=scored()
    ),
    "names that differ by case": File(
        lines("Y,y,y_score", ["x"] * 6, TRUTH, SCORES), answer=scored(), options=["--y-true", "y"]
    ),
    "a name with signs of patterns": File(binary(), answer=scored(), name="a[1]*.csv"),
    # Other kinds of files.
    "gzip": File(gzip.compress(binary().encode()), answer=scored(), name="a.csv.gz"),
    "JSON lines": File(json_lines(TRUTH, SCORES), answer=scored(rows=6), name="a.jsonl"),
    "JSON lines, gzip": File(
        gzip.compress(json_lines(TRUTH, SCORES).encode()), answer=scored(), name="a.ndjson.gz"
    ),
    "JSON": File(
        "[" + json_lines(TRUTH, SCORES).strip().replace("\n", ",") + "]",
        answer=scored(),
        name="a.json",
    ),
    "JSON with names that look like numbers": File(
        json_lines(
            [f'"{name}"' for name in ["2.10", "2.1", "2.5", "2.1", "2.10", "2.5"]],
            [f'"{name}"' for name in ["2.10", "2.1", "2.5", "2.10", "2.1", "2.5"]],
        ),
        answer=labels(RIGHT),
        options=["--task", "multiclass"],
        name="a.jsonl",
    ),
    "JSON with null": File(
        json_lines((*TRUTH, 1), (*SCORES, "null")),
        ["1 of 7 rows"],
        scored(rows=6),
        ["--na", "drop"],
        "a.jsonl",
    ),
    # Parts, and standard input.
    "folder": File(
        {
            "d/2.csv": lines("y_true,y_score", TRUTH[3:], SCORES[3:]),
            "d/1.csv": lines("y_true,y_score", TRUTH[:3], SCORES[:3]),
            "d/_SUCCESS": "",
        },
        answer=scored(rows=6),
        name="d",
    ),
    "pattern": File(
        {
            "a1.csv": lines("y_true,y_score", TRUTH[:3], SCORES[:3]),
            "a2.csv": lines("y_true,y_score", TRUTH[3:], SCORES[3:]),
        },
        answer=scored(rows=6),
        name="a*.csv",
    ),
    "standard input": File({}, answer=scored(), name="-", stdin=binary().encode()),
    "standard input, gzip": File(
        {}, answer=scored(), name="-", stdin=gzip.compress(binary().encode())
    ),
    "standard input, JSON lines": File(
        {}, answer=scored(), name="-", stdin=json_lines(TRUTH, SCORES).encode()
    ),
    # Two files.
    "by position": File(
        {"a.csv": binary(), "b.csv": lines("y_score", SCORES)},
        ["by their position", '"difference": 0.0'],
        scored(),
        ["--compare", "b.csv"],
    ),
    "by keys": File(
        {
            "a.csv": lines("k,y_true,y_score", "abcdef", TRUTH, SCORES),
            "b.csv": lines("k,y_true,y_score", "fedcba", TRUTH[::-1], SCORES[::-1]),
        },
        ['"difference": 0.0'],
        scored(),
        ["--compare", "b.csv", "--id", "k"],
    ),
    "keys without a partner": File(
        {
            "a.csv": lines("k,y_true,y_score", "abcdefg", (*TRUTH, 1), (*SCORES, "0.1")),
            "b.csv": lines("k,y_score", "xyfedcba", ("1", "1", *SCORES[::-1])),
        },
        ["6 rows; 1 of", "2 of", "no partner", '"difference": 0.0'],
        scored(rows=6),
        ["--compare", "b.csv", "--id", "k"],
    ),
    "missing in the other file": File(
        {"a.csv": binary() + "1,0.1\n", "b.csv": lines("y_score", (*SCORES, "NA"))},
        ["1 of 7 rows", '"difference": 0.0'],
        scored(rows=6),
        ["--compare", "b.csv", "--na", "drop"],
    ),
}

ERRORS: dict[str, File] = {
    # What does not tell the task, or the positive class.
    "one and two": File(binary(("1", "2")), ["'1', '2'", "--positive"]),
    "cats and dogs": File(binary(("cat", "dog")), ["'cat', 'dog'", "--positive"]),
    "yes and maybe": File(binary(("maybe", "yes")), ["--positive"]),
    "a third class": File(binary().replace("1,0.9", "2,0.9"), ["'y_true'", "0, 1, 2", "--task"]),
    "a third class of texts": File(
        lines("y_true,y_score", ABC.split(), SCORES), ["row 3 (line 4)", "'c'", "third class"]
    ),
    "one and two, predicted": File(
        predicted("1 2 2 1 2 1", "1.5 1.7 1.2 1 2 1"), ["1, 2", "binary or regression"]
    ),
    "predictions beyond the classes": File(
        predicted(TRUE_TEXT, "0 1 2 0 1 2"), ["0, 1", "binary or multiclass or regression"]
    ),
    "one class only": File(predicted("1 1 1 1 1 1", "1.5 .7 .2 1 2 1"), ["binary or regression"]),
    "ratings": File(predicted("1 2 3 1 2 3", "1 2 3 1 2 5"), ["multiclass or regression"]),
    "counts": File(predicted("0 2 1 0 2 1", "7 8 9 7 8 9"), ["multiclass or regression"]),
    "versions": File(
        predicted("2.10 2.9 2.10 2.9 2.7 2.8", "2.10 2.9 2.9 2.10 2.7 2.8"),
        ["multiclass or regression"],
    ),
    "one score for many classes": File(
        predicted("1 2 3 1 2 3", "0.1 0.2 0.3 0.1 0.2 0.3", "y_true,y_score"), ["--task binary"]
    ),
    # Columns that are no classes.
    "two models": File(
        lines("y_true,LR,RF", TRUTH, SCORES, SCORES),
        ["'0'", "LR, RF", "--model", "--classes"],
        options=["--y-score", "LR,RF"],
    ),
    "two regressions": File(
        lines("y_true,y_pred_lr,y_pred_rf", SIX.split(), NEAR.split(), NEAR.split()),
        ["lr, rf", "--model"],
    ),
    "quartiles": File(
        lines("y_true,q1,q2", SIX.split(), NEAR.split(), NEAR.split()), ["q1, q2", "--levels"]
    ),
    "too few classes": File(
        lines("y_true,A,B", TRUTH, SCORES, SCORES),
        ["--classes", "3 classes for 2 columns"],
        options=["--y-score", "A,B", "--classes", "a,b,c"],
    ),
    "labels of other names": File(
        lines("true_a,true_b,score_c,score_d", TRUTH, TRUTH, SCORES, SCORES), ["a, b", "c, d"]
    ),
    "no label": File(lines(HEADS, [2, *TRUTH[1:]], TRUTH, SCORES, SCORES), ["row 1", "neither 0"]),
    "truth as its prediction": File(
        binary(), ["'y_true'", "both truth and prediction"], options=["--y-score", "y_true"]
    ),
    "truth among the models": File(
        binary(), ["'y_true'", "both"], options=["--model", "y_score,y_true"]
    ),
    # Cells that are no numbers.
    "NA": File(
        binary(scores=("NA", *SCORES[1:])), ["row 1 (line 2)", "'y_score'", "'NA'", "--na drop"]
    ),
    "NA of a regression": File(
        predicted(SIX, NEAR.replace("7.5", "NA")), ["row 6 (line 7)", "'y_pred'", "missing"]
    ),
    "NA in the truth": File(predicted("a NA b NA a b", ABC_PRED), ["row 2", "2 such cells"]),
    "NA in a group": File(
        lines("y_true,y_score,g", TRUTH, SCORES, ["a", "", *"aabb"]),
        ["row 2", "'g'", "is empty"],
        options=["--group", "g"],
    ),
    "nothing but NA": File(
        lines("y_true,y_score", TRUTH, ["NA"] * 6),
        ["all rows", "6 in y_score"],
        options=["--na", "drop"],
    ),
    "thousands": File(
        predicted('"151,000.0" 7 8 9 9.5 1', NEAR),
        ["row 1 (line 2)", "'151,000.0'", "not a number"],
    ),
    "thousands throughout": File(
        predicted(" ".join(['"151,000.0"'] * 6), " ".join(['"151,001.0"'] * 6)),
        ["'151,000.0'", "--thousands"],
    ),
    "decimal commas": File(
        predicted("1,5 2,5 3,5 4,5 5,5 6,5", "1,5 2,5 3 4 5,5 7,5", "y_true;y_pred", sep=";"),
        ["'1,5'", "--decimal"],
    ),
    "thousands that are not": File(
        predicted('"1,51" 7 8 9 9.5 1', NEAR),
        ["row 1", "'1,51'"],
        options=["--thousands", ",", "--task", "regression"],
    ),
    "percents": File(predicted(SIX, "1% 2% 3% 4% 5% 6%"), ["row 1", "'1%'"]),
    "underscores": File(predicted(SIX, NEAR.replace("7.5", "7_5")), ["row 6", "'7_5'"]),
    "hexadecimal": File(predicted(SIX, NEAR.replace("7.5", "0x1A")), ["row 6", "'0x1A'"]),
    "infinite": File(predicted(SIX, NEAR.replace("7.5", "inf")), ["'inf'", "not a finite number"]),
    "too large": File(predicted(SIX, NEAR.replace("7.5", "1e999")), ["'1e999'", "finite"]),
    "texts beside numbers": File(
        predicted("1 2 3+ 1 2 3+", "1 2 3+ 1 2 3+"), ["row 3", "'3+'", "multiclass"]
    ),
    "texts for numbers": File(predicted(SIX, ABC), ["row 1", "'a'", "true values are"]),
    # Classes in two spellings.
    "no class in common": File(predicted(ABC, "x y z x y z"), ["'x', 'y', 'z'", "'a', 'b', 'c'"]),
    "upper case": File(predicted(ABC, "A b c A c b"), ["'A'", "'a'", "alike"]),
    "two spellings of a prediction": File(predicted(ABC, "A b c a c b"), ["'A'", "alike"]),
    "an accent in two parts": File(
        predicted("é b é b é b", "e\u0301 b e\u0301 b e\u0301 b"), ["alike"]
    ),
    "a leading zero": File(
        predicted("1 2 x 1 2 x", "01 2 x 01 x 2"),
        ["'01'", "'1'", "alike"],
        options=["--task", "multiclass"],
    ),
    "one class twice": File(
        predicted("1 1.0 2 3 4 5", "1 1 2 3 4 5"),
        ["both", "'1'", "'1.0'"],
    ),
    "too many classes": File(MANY, ["more than 1000"]),
    "none of the two classes": File(
        predicted("no yes yes no yes no", "no yes maybe no yes no"),
        ["row 3", "'maybe'"],
        options=["--positive", "yes"],
    ),
    "0 and 1 for 1 and 2": File(
        predicted("1 2 2 1 2 1", HARD_TEXT), ["0 and 1", "1 and 2"], options=["--positive", "2"]
    ),
    # Options that do not apply.
    "a threshold of a regression": File(
        predicted(SIX, NEAR),
        ["--threshold is for binary"],
        options=["--threshold", "0.3", "--task", "regression"],
    ),
    "a threshold of classes": File(
        predicted(TRUE_TEXT, HARD_TEXT), ["--threshold is for scores"], options=["--threshold=0.3"]
    ),
    "a positive of three": File(
        predicted(ABC, ABC_PRED),
        ["--positive is for binary"],
        options=["--positive", "a", "--task", "multiclass"],
    ),
    "levels of a regression": File(
        predicted(SIX, NEAR),
        ["--levels is for quantile"],
        options=["--levels", "0.5", "--task", "regression"],
    ),
    "lists of a regression": File(
        lines("q,y_true,y_pred", "aabbcc", SIX.split(), NEAR.split()),
        ["--query is for ranking"],
        options=["--query", "q", "--task", "regression"],
    ),
    "classes of two": File(
        binary(), ["--classes is for multiclass"], options=["--classes=a,b", "--task=binary"]
    ),
    "keys without another file": File(
        lines("k,y_true,y_score", "abcdef", TRUTH, SCORES),
        ["--id", "--compare"],
        options=["--id=k"],
    ),
    "one sign for two": File(
        binary(), ["--decimal", "--thousands"], options=["--decimal=,", "--thousands=,"]
    ),
    "the report over the input": File(
        binary(), ["--html", "overwrite"], options=["--html", "a.csv"]
    ),
    "the report over the other": File(
        {"a.csv": binary(), "b.csv": binary()},
        ["--html", "overwrite"],
        options=["--compare", "b.csv", "--html", "b.csv"],
    ),
    # Two files.
    "other rows": File(
        {"a.csv": binary(), "b.csv": lines("y_score", SCORES[:5])},
        ["5 rows", "has 6"],
        options=["--compare", "b.csv"],
    ),
    "other truth": File(
        {"a.csv": binary(), "b.csv": lines("y_true,y_score", HARD, SCORES)},
        ["b.csv: row 3 (line 4)", "'y_true'"],
        options=["--compare", "b.csv"],
    ),
    "a key twice": File(
        {
            "a.csv": lines("k,y_true,y_score", "abcdea", TRUTH, SCORES),
            "b.csv": lines("k,y_score", "abcdef", SCORES),
        },
        ["a.csv: row 6", "same --id"],
        options=["--compare", "b.csv", "--id", "k"],
    ),
    "no key in common": File(
        {
            "a.csv": lines("k,y_true,y_score", "abcdef", TRUTH, SCORES),
            "b.csv": lines("k,y_score", "uvwxyz", SCORES),
        },
        ["b.csv: no row"],
        options=["--compare", "b.csv", "--id", "k"],
    ),
    "no key": File(
        {
            "a.csv": lines("k,y_true,y_score", "abcdef", TRUTH, SCORES),
            "b.csv": lines("y_score", SCORES),
        },
        ["b.csv: no column 'k' for --id"],
        options=["--compare", "b.csv", "--id", "k"],
    ),
    # Files that are broken.
    "a short row": File(binary() + "1\n", ["line 8: 1 cells", "2 columns"]),
    "a long row": File(binary() + "1,2,3\n", ["line 8: 3 cells", "2 columns"]),
    "thousands without quotes": File(binary() + "1,151,000.0\n", ["line 8: 3 cells"]),
    "an open quote": File(binary() + '1,"2\n', ["line 8: is not CSV"]),
    "a row after a line break": File(
        lines("note,y_true,y_score", ['"a\nb"', *"bcdef"], TRUTH, (*SCORES[:5], "x")),
        ["row 6, column 'y_score'", "'x'"],
        options=["--task", "binary"],
    ),
    "Latin-1": File(binary(("né", "yes")).encode("latin-1"), ["UTF-8", "--encoding"]),
    "Latin-1 in the header": File("é,y_true\n1,2\n".encode("latin-1"), ["UTF-8", "--encoding"]),
    "no gzip": File(binary(), ["GZIP"], name="a.csv.gz"),
    "no Parquet": File(binary(), ["Parquet"], name="a.parquet"),
    "no JSON": File('{"y_true": 1,\n', ["JSON"], name="a.jsonl"),
    "numbers as JSON": File("1\n2\n", ["objects"], name="a.jsonl"),
    "JSON without a value": File(
        json_lines(TRUTH, SCORES) + '{"y_true": 1}\n',
        ["row 7, column 'y_score'", "is empty"],
        name="a.jsonl",
    ),
    "an empty folder": File({"d/_SUCCESS": ""}, ["without files"], name="d"),
    "a folder of all sorts": File(
        {"d/a.csv": binary(), "d/b.jsonl": "{}"}, ["different kinds"], name="d"
    ),
    "parts with other columns": File(
        {"d/a.csv": binary(), "d/b.csv": binary(header="y_true,p")}, ["b.csv", "a.csv"], name="d"
    ),
    "a wrong cell of a part": File(
        {"d/a.csv": binary(), "d/b.csv": binary(scores=("x", *SCORES[1:]))},
        ["b.csv: row 1 (line 2)", "'x'"],
        name="d",
    ),
    "no such pattern": File({}, ["no file"], name="*.csv"),
    "no such file": File({}, ["no such file"], name="missing.csv"),
}
