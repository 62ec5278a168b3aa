"""The sweep: what is wrong with one part keeps no other from its work."""

from __future__ import annotations

import pytest

from workers.sweeps import each


@pytest.mark.parametrize("broken", [1, 2, 3])
def test_a_mistake_in_one_part_leaves_the_others_their_work(broken: int) -> None:
    ran: list[int] = []

    def part(number: int) -> None:
        ran.append(number)
        if number == broken:
            raise ValueError(number)

    with pytest.raises(ValueError, match=str(broken)):
        each(lambda: part(1), lambda: part(2), lambda: part(3))

    assert ran == [1, 2, 3]
