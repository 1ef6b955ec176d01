#!/usr/bin/env python3
import random, sys

def contains(w):
    n = len(w) // 3
    return w == ["a"] * n + ["b"] * n + ["c"] * n

def sample(low, high, number):
    sizes = [n for n in range(high // 3 + 1) if 3 * n >= low]
    if not sizes:
        return "-"
    n = random.Random(number).choice(sizes)
    return " ".join(["="] + ["a"] * n + ["b"] * n + ["c"] * n)

for line in sys.stdin:
    verb, *rest = line.split()
    if verb == "alphabet":
        answer = "a b c"
    elif verb == "contains":
        answer = int(contains(rest))
    elif verb == "sample":
        answer = sample(*map(int, rest))
    else:
        answer = "?"
    print(answer, flush=True)
