"""Markdown that people and agents wrote, as HTML that can do nothing but be read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_REACHED_BY_KEYBOARD = {tag: {"tabindex": "0"} for tag in ("pre", "table")}  # they scroll when they are wide
_SCHEMES = {"http", "https", "mailto"}
_HIGHEST_HEADING = 3  # the page's own title and section headings come first


def render_markdown(text: str) -> str:
    """Return clean HTML. Raw HTML shows as text, images become links: the page loads nothing from elsewhere."""
    parser, env = _parser(), dict[str, object]()
    tokens = parser.parse(text, env)
    _lower_headings(tokens)
    return nh3.clean(
        parser.renderer.render(tokens, parser.options, env),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        set_tag_attribute_values=_REACHED_BY_KEYBOARD,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow ugc",
    )


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _image_as_link)
    return parser


def _lower_headings(tokens: Sequence[Token]) -> None:
    """Let the text's largest headings be the third level of the page, and the others follow."""
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    levels = [int(token.tag[1]) for token in headings]
    for token, level in zip(headings, levels, strict=True):
        token.tag = f"h{min(6, level - min(levels) + _HIGHEST_HEADING)}"


def _image_as_link(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    label = renderer.renderInlineAsText(token.children, options, env) if token.children else ""
    source = str(token.attrGet("src") or "")
    return f'<a href="{escapeHtml(source)}">{escapeHtml(label or source)}</a>'
