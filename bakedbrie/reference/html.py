"""A document's Markdown as HTML: headings that can be linked to, links that stay on the site."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bakedbrie.lib.documents import anchor_of

_RELATIVE = re.compile(r"^(?P<name>[a-z-]+)\.md(?P<anchor>#.*)?$")


def render_document(markdown: str, address: Callable[[str], str | None]) -> SafeString:
    """Return the HTML of one of our own documents. ``address`` tells where a page of that name is, None for nowhere.

    The first heading is the page's own. Raw HTML stays text.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.core.ruler.push("anchors", lambda state: _set_anchors(state.tokens))
    parser.core.ruler.push("addresses", lambda state: _set_addresses(state.tokens, partial(_resolved, address)))
    html: str = parser.render(markdown)
    # A table that is wider than a phone is scrolled by itself, also from the keyboard.
    html = html.replace("<table>", '<div class="table" tabindex="0"><table>').replace("</table>", "</table></div>")
    return mark_safe(html.replace("<pre>", '<pre tabindex="0">'))


def _set_anchors(tokens: list[Token]) -> None:
    taken: set[str] = set()
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor_of(inline.content.replace("`", ""), taken))


def _set_addresses(tokens: list[Token], resolved: Callable[[str], str]) -> None:
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", resolved(str(child.attrGet("href"))))


def _resolved(address: Callable[[str], str | None], href: str) -> str:
    found = _RELATIVE.match(href)
    page = address(found["name"]) if found else None
    return f"{page}{(found and found['anchor']) or ''}" if page else href
