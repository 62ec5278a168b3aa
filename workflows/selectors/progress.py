"""Whether a round gets anywhere."""

from __future__ import annotations

from boards.models import Iteration, Result

REPEATS = 3


def goes_in_circles(iteration: Iteration) -> bool:
    """Whether the newest result of the round is the same agent's third alike, or the third in a row, whoever's, that
    left the card's result as it was.
    """
    if iteration.turns < REPEATS:
        return False
    results = list(Result.objects.filter(iteration=iteration).order_by("pk").values_list("made_by", "sha256"))
    if not results:
        return False
    in_a_row = [sha256 for _, sha256 in results[-(REPEATS + 1) :]]
    is_unchanged = len(in_a_row) > REPEATS and len(set(in_a_row)) == 1
    return is_unchanged or results.count(results[-1]) >= REPEATS
