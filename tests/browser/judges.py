"""What a page must keep to, whatever it is about: axe finds nothing serious, and nothing is wider than the screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_GRAVE = {"serious", "critical"}
_axe = Axe()
_WIDER = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const isCut = (part) =>
    part !== document.body && (getComputedStyle(part).overflowX !== "visible" || isCut(part.parentElement));
  const wide = [...document.body.querySelectorAll("*")].filter(
    (part) => part.getBoundingClientRect().right > width + 1 && !isCut(part.parentElement));
  return [`${document.documentElement.scrollWidth} of ${width} px`,
    ...wide.slice(-3).map((part) => `${part.tagName.toLowerCase()}#${part.id}.${part.className}`)];
}"""
# Focus that scripts give shows as focus by keyboard does, once a key was pressed.
_FADED = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((part) => !part.disabled && part.checkVisibility({ visibilityProperty: true }))
  .filter((part) => {
    part.focus();
    if (document.activeElement !== part) return false;
    for (let around = part; around; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) return false;
    }
    return true;
  })
  .map((part) => part.outerHTML.slice(0, 120))"""
_OPEN_ALL = "() => document.querySelectorAll('main details').forEach((each) => { each.open = true; })"


def barriers(page: Page, rules: Iterable[str] = ()) -> list[str]:
    """Return what axe finds serious or critical, each with its first place; by all rules unless some are named."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = _axe.run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])} times)"
        for one in found
        if one["impact"] in _GRAVE
    ]


def too_wide(page: Page) -> list[str]:
    """Return the widths and the last parts that stick out, or nothing."""
    wider: list[str] = page.evaluate(_WIDER)
    return wider


def without_visible_focus(page: Page) -> list[str]:
    """Return what one reaches by keyboard without seeing it."""
    page.keyboard.press("Tab")
    faded: list[str] = page.evaluate(_FADED)
    return faded


def open_everything(page: Page) -> None:
    """Open every menu and composer of the page, so that what they hold is judged as well."""
    page.evaluate(_OPEN_ALL)
