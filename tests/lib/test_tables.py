"""Comma-separated text as a table: odd separators, ragged rows, and bounds."""

from __future__ import annotations

import pytest

from bakedbrie.lib.tables import CHARACTERS, COLUMNS, ROWS, Table, read_table


@pytest.mark.parametrize(
    "text",
    [
        "name,stars\nZoë,5\nMia,4",
        "name;stars\nZoë;5\nMia;4\n",
        "name\tstars\nZoë\t5\nMia\t4\n",
        "name|stars\n\nZoë|5\nMia|4\n",
        "sep=;\nname;stars\nZoë;5\nMia;4\n",
        '"name","stars"\n"Zoë","5"\n"Mia","4"\n',
    ],
)
def test_whatever_separates_the_cells_the_table_is_the_same(text: str) -> None:
    assert read_table(text) == Table(header=("name", "stars"), rows=(("Zoë", "5"), ("Mia", "4")))


def test_commas_within_cells_do_not_count_where_another_sign_separates() -> None:
    table = read_table("text;stars\n1,50 for it, really;5\nno, no;1\n")

    assert table is not None
    assert table.rows == (("1,50 for it, really", "5"), ("no, no", "1"))


@pytest.mark.requirement("C088")
def test_cells_that_a_spreadsheet_would_run_stay_what_was_written() -> None:
    table = read_table('name,value\n=1+1,"=HYPERLINK(""http://evil.example"")"\n@x,-2\n')

    assert table is not None
    assert table.rows == (("=1+1", '=HYPERLINK("http://evil.example")'), ("@x", "-2"))


def test_ragged_rows_are_filled_up_and_a_cell_may_hold_lines() -> None:
    table = read_table('a,b,c\n1\n"two\nlines",2,3,4\n')

    assert table == Table(header=("a", "b", "c", ""), rows=(("1", "", "", ""), ("two\nlines", "2", "3", "4")))


def test_one_column_is_a_table_too_and_nothing_is_none() -> None:
    assert read_table("a\nb\n") == Table(header=("a",), rows=(("b",),))
    assert read_table("") is None
    assert read_table("\n \n") is None


def test_rows_columns_and_cells_have_a_most() -> None:
    many = read_table("n,m\n" + "1,2\n" * (ROWS + 1))
    wide = read_table(",".join("x" * (COLUMNS + 1)) + "\n")
    long = read_table(f"a,b\n{'x' * (CHARACTERS + 1)},2\n")
    just = read_table("n,m\n" + "1,2\n" * ROWS)

    assert many
    assert wide
    assert long
    assert just
    assert (len(many.rows), len(wide.header), long.rows[0][0]) == (ROWS, COLUMNS, "x" * CHARACTERS + "…")
    assert (many.is_cut, wide.is_cut, long.is_cut, just.is_cut) == (True, True, True, False)


def test_a_last_line_that_may_be_half_of_one_is_left_out() -> None:
    assert read_table("a,b\n1,2\n3,", is_cut=True) == Table(header=("a", "b"), rows=(("1", "2"),), is_cut=True)


def test_a_cell_without_an_end_is_no_table() -> None:
    assert read_table('a,b\n"' + "x" * 200_000) is None
