"""One context, two renderings: the page, and the piece of it that changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import RequestFactory, override_settings

from bakedbrie.lib.web.htmx import partial_or_page

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.locmem.Loader",
                    {"_card.html": "<p>{{ title }}</p>", "card.html": "<html>{% include '_card.html' %}</html>"},
                )
            ]
        },
    }
]


@pytest.fixture(autouse=True)
def templates() -> Iterator[None]:
    with override_settings(TEMPLATES=TEMPLATES):
        yield


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, "<html><p>A &lt;b&gt;</p></html>"),
        ({"HX-Request": "true"}, "<p>A &lt;b&gt;</p>"),
        ({"HX-Request": "true", "HX-History-Restore-Request": "true"}, "<html><p>A &lt;b&gt;</p></html>"),
    ],
)
def test_htmx_gets_the_piece_and_a_browser_the_page(headers: dict[str, str], body: str) -> None:
    request = RequestFactory().get("/card", headers=headers)

    response = partial_or_page(request, "_card.html", "card.html", {"title": "A <b>"}, status=422)

    assert (response.status_code, response.content.decode(), response["Vary"]) == (422, body, "HX-Request")
