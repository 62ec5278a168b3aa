/* The board: dragging, moving by keyboard, the panel of a card, the filter, and fetching only what changed.

   The server decides everything; without this file every card still opens, moves and is found. */
"use strict";

(() => {
  const TOUCH_DELAY_MS = 300;
  const SLOP_PX = 6;
  const EDGE_PX = 56;
  const TOGETHER_MS = 150;
  const TYPED_MS = 250;
  const TOAST_MS = 10000;
  const FIRST_CARDS = 20;
  const MORE_CARDS = 50;
  const MOST_TILES = 30;

  const byId = (id) => document.getElementById(id);
  const live = () => byId("live");
  const root = document.documentElement.dataset.root;
  const idOf = (element) => (element ? element.id.slice(element.id.indexOf("-") + 1) : "");
  const tilesOf = (list) => [...list.querySelectorAll(":scope > .tile")];
  const lists = () => [...document.querySelectorAll(".column-cards")];
  const nameOf = (list) => byId(`column-${idOf(list)}`).textContent;
  const linkOf = (tile) => tile.querySelector(".tile-title a");
  const say = (value) => document.dispatchEvent(new CustomEvent("bakedbrie:said", { detail: { value } }));

  // A piece of the page becomes what the server sent, part by part: what stays the same is not touched, and what
  // somebody is using keeps its text, its focus and its place.

  const OURS = new Set(["tabindex", "aria-current", "style"]);

  function isInUse(piece) {
    if (piece.open || piece.contains(document.activeElement)) return true;
    return [...piece.querySelectorAll("input, textarea")].some(
      (field) => field.type !== "hidden" && field.value !== field.defaultValue,
    );
  }

  function become(old, fresh, sent, added) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
      return;
    }
    if (old.matches("[data-keep]")) {
      if (old === sent) {
        old.replaceWith(fresh);
        added.push(fresh);
        return;
      }
      if (isInUse(old)) {
        // Signing in again in another tab makes the tokens of older forms worthless.
        const token = fresh.querySelector("[name=csrfmiddlewaretoken]")?.value;
        if (token) for (const field of old.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
        return;
      }
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !OURS.has(name)) old.removeAttribute(name);
    }
    childrenBecome(old, fresh, sent, added);
  }

  function childrenBecome(old, fresh, sent, added) {
    const wanted = [...fresh.childNodes];
    const ids = new Set(wanted.map((child) => child.id).filter(Boolean));
    for (const child of [...old.children]) if (child.id && !ids.has(child.id)) child.remove();
    const mine = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
    let at = old.firstChild;
    for (const next of wanted) {
      const isLikeIt = at && !at.id && at.nodeName === next.nodeName;
      const same = next.id ? mine.get(next.id) : isLikeIt ? at : null;
      if (!same) {
        old.insertBefore(next, at);
        if (next.nodeType === Node.ELEMENT_NODE) added.push(next);
        continue;
      }
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      become(same, next, sent, added);
    }
    while (at) {
      const rest = at;
      at = at.nextSibling;
      rest.remove();
    }
  }

  function parsed(html) {
    const box = document.createElement("template");
    box.innerHTML = html;
    return box.content;
  }

  /* Change the page by `change`, which gets a list for what it adds; focus and scrolled places stay. */
  function changing(change) {
    const focused = document.activeElement;
    const places = lists().map((list) => [list.id, list.scrollTop]);
    const strip = byId("columns")?.scrollLeft || 0;
    const added = [];
    change(added);
    for (const piece of added) if (piece.isConnected) htmx.process(piece);
    for (const [id, top] of places) if (byId(id) && byId(id).scrollTop !== top) byId(id).scrollTop = top;
    if (byId("columns") && byId("columns").scrollLeft !== strip) byId("columns").scrollLeft = strip;
    rove();
    markSwitch();
    if (focused && focused !== document.body && document.activeElement !== focused) {
      (focused.isConnected ? focused : byId(focused.id))?.focus({ preventScroll: true });
    }
  }

  function boardBecomes(html, sender) {
    const sent = sender?.closest("[data-keep]") || null;
    changing((added) => {
      const fresh = document.createElement("div");
      fresh.append(parsed(html));
      childrenBecome(live(), fresh, sent, added);
    });
    if (!sent) return;
    const details = byId(sent.id);
    const isLost = !document.activeElement || document.activeElement === document.body;
    if (!details || !isLost) return;
    (details.open ? details.querySelector("[aria-invalid=true], [data-first]") : details.querySelector("summary"))?.focus();
  }

  // What is stale is fetched together, one request after the other: single cards, or the board when it is more.

  const stale = { board: false, cards: new Set(), isNewView: false };
  let asked = [];
  let isFetching = false;
  let fetchTimer = 0;

  function fetchSoon(ms = TOGETHER_MS) {
    clearTimeout(fetchTimer);
    fetchTimer = setTimeout(fetchStale, ms);
  }

  async function fetchStale() {
    if (isFetching || held || document.hidden) return;
    const isBoard = stale.board || stale.cards.size > MOST_TILES;
    if (!isBoard && !stale.cards.size) return;
    const isNewView = stale.isNewView;
    asked = isBoard ? [] : [...stale.cards];
    stale.board = stale.isNewView = false;
    stale.cards.clear();
    isFetching = true;
    try {
      if (isBoard) {
        await htmx.ajax("GET", live().dataset.url, { target: "#live", swap: "innerHTML" });
        if (isNewView) say(byId("found").innerText.split("\n")[0] || "All cards.");
        if (isNewView) for (const list of lists()) list.scrollTop = 0;
      } else {
        const cards = asked.map((id) => `card=${id}`).join("&");
        await htmx.ajax("GET", `${live().dataset.url}tiles/?${cards}`, { target: "#live", swap: "innerHTML" });
      }
    } finally {
      isFetching = false;
    }
    if (isBoard || asked.includes(shownCard())) refreshPeek();
    if (stale.board || stale.cards.size) fetchSoon();
  }

  document.addEventListener("bakedbrie:stale", (event) => {
    event.preventDefault();
    const { kind, card } = event.detail;
    if (card) stale.cards.add(card);
    else if (!kind && dropped) stale.cards.add(dropped.id);
    else stale.board = true;
    fetchSoon();
  });

  document.addEventListener("htmx:sendError", () => {
    stale.board = true; // fetched when the stream is there again
  });

  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.target !== live()) return;
    const most = stale.isNewView ? 0 : Math.max(...lists().map((list) => tilesOf(list).length));
    if (most > FIRST_CARDS) event.detail.parameters.shown = String(Math.min(most, 1000));
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== live() || event.detail.isError) return;
    event.detail.shouldSwap = false;
    const { path, elt } = event.detail.requestConfig;
    if (path.includes("/tiles/")) placeTiles(event.detail.serverResponse);
    else boardBecomes(event.detail.serverResponse, elt.closest("form"));
  });

  /* Each card goes behind the one that the server names. Where that one is not shown, it is not shown either. */
  function placeTiles(html) {
    const answer = parsed(html);
    changing((added) => {
      for (const piece of answer.querySelectorAll(".pieces > [id]")) {
        if (byId(piece.id)) become(byId(piece.id), piece, null, added);
      }
      const fresh = [...answer.querySelectorAll("[data-card]")];
      const here = new Set(fresh.map((each) => each.dataset.card));
      for (const id of asked) if (!here.has(id)) byId(`card-${id}`)?.remove();
      for (const each of fresh) placeTile(each, added);
      for (const list of lists()) countMore(list);
    });
  }

  function placeTile(fresh, added) {
    const { card, stage, after } = fresh.dataset;
    const list = byId(`cards-${stage}`);
    const before = after ? byId(`card-${after}`) : null;
    const tile = byId(`card-${card}`);
    if (!list || (after && before?.parentElement !== list)) {
      const isAllShown = list && byId(`more-${stage}`).hidden;
      if (!list || isAllShown) stale.board = true;
      else tile?.remove();
      return;
    }
    const next = before ? before.nextElementSibling : list.firstElementChild;
    if (!tile) {
      list.insertBefore(fresh.firstElementChild, next);
      return;
    }
    if (next !== tile) list.insertBefore(tile, next);
    become(tile, fresh.firstElementChild, null, added);
  }

  function countMore(list) {
    const more = byId(`more-${idOf(list)}`);
    const tiles = tilesOf(list);
    const left = Number(byId(`count-${idOf(list)}`).dataset.found) - tiles.length;
    more.hidden = left <= 0;
    more.firstChild.data = `Show ${Math.min(left, MORE_CARDS)} more`;
    const address = new URL(more.href);
    if (tiles.length) address.searchParams.set("after", idOf(tiles.at(-1)));
    else address.searchParams.delete("after");
    more.href = address.href;
  }

  // More cards of a column: by its button, and when its end comes near.

  const loading = new Set();

  async function loadMore(list) {
    const more = byId(`more-${idOf(list)}`);
    if (more.hidden || loading.has(list.id)) return;
    loading.add(list.id);
    try {
      const answer = await fetch(more.href, { headers: { "HX-Request": "true", "HX-Current-URL": location.href } });
      if (!answer.ok) return;
      const fresh = [...parsed(await answer.text()).querySelectorAll(".tile")].filter((tile) => !byId(tile.id));
      const wasFocused = document.activeElement === more;
      changing(() => {
        list.append(...fresh);
        countMore(list);
      });
      say(`${fresh.length} more cards in ${nameOf(list)}.`);
      if (wasFocused && more.hidden) linkOf(fresh[0] || list.lastElementChild).focus();
    } catch {
      say("The server cannot be reached. Try again in a moment.");
    } finally {
      loading.delete(list.id);
    }
  }

  document.addEventListener(
    "scroll",
    ({ target }) => {
      if (target.id === "columns") return markSwitch();
      if (!target.matches?.(".column-cards") || !target.scrollTop) return;
      if (target.scrollHeight - target.scrollTop - target.clientHeight < 300) loadMore(target);
    },
    true,
  );

  // The filter lives in the address.

  let typedTimer = 0;

  function applyFilter() {
    const address = new URL(location.href);
    address.search = "";
    for (const [name, value] of new FormData(byId("board-filter"))) {
      if (value.trim()) address.searchParams.set(name, value.trim());
    }
    if (address.href === location.href) return;
    history.replaceState(history.state, "", address);
    stale.board = stale.isNewView = true;
    fetchSoon(0);
  }

  function showAll() {
    for (const field of byId("board-filter").querySelectorAll("input, select")) field.value = "";
    applyFilter();
    byId("find").focus();
  }

  document.addEventListener("input", (event) => {
    if (event.target.form?.id !== "board-filter") return;
    clearTimeout(typedTimer);
    typedTimer = setTimeout(applyFilter, event.target.id === "find" ? TYPED_MS : 0);
  });

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "board-filter") return;
    event.preventDefault();
    clearTimeout(typedTimer);
    applyFilter();
  });

  // The panel of a card. Its address is the board's with the card in it, and the back button closes it.

  const peek = () => byId("peek");
  const shownCard = () => (peek()?.open ? peek().querySelector("[data-card]")?.dataset.card : "");
  let isClosingByAddress = false;
  let opensAs = "";

  function openPeek(id, isNew) {
    opensAs = isNew ? id : "";
    htmx.ajax("GET", `${root}cards/${id}/peek/`, { target: "#peek", swap: "innerHTML" });
  }

  function showPeek() {
    if (!peek().open) peek().showModal();
    byId("peek-title").focus();
    if (!opensAs) return;
    const address = new URL(location.href);
    address.searchParams.set("card", opensAs);
    history.pushState({ card: opensAs }, "", address);
    opensAs = "";
  }

  async function refreshPeek() {
    const id = shownCard();
    if (!id) return;
    const answer = await fetch(`${root}cards/${id}/peek/`, { headers: { "HX-Request": "true" } });
    if (!answer.ok || shownCard() !== id) return;
    const fresh = parsed(await answer.text());
    const focused = document.activeElement;
    const added = [];
    childrenBecome(peek(), fresh, null, added);
    for (const piece of added) htmx.process(piece);
    if (document.activeElement !== focused && focused?.id) byId(focused.id)?.focus({ preventScroll: true });
  }

  function peekClosed() {
    const tile = byId(`card-${peek().querySelector("[data-card]")?.dataset.card}`);
    peek().replaceChildren();
    if (!isClosingByAddress) {
      if (history.state?.card) history.back();
      else history.replaceState(null, "", addressWithout("card"));
    }
    isClosingByAddress = false;
    const other = document.querySelector(".tile a[tabindex='0']");
    (tile ? linkOf(tile) : other || byId("main")).focus();
  }

  function addressWithout(name) {
    const address = new URL(location.href);
    address.searchParams.delete(name);
    return address;
  }

  document.addEventListener("htmx:afterSwap", (event) => event.detail.target === peek() && showPeek());

  document.addEventListener("close", (event) => event.target === peek() && peekClosed(), true);

  addEventListener("popstate", () => {
    const id = new URL(location.href).searchParams.get("card");
    if (id) return openPeek(id, false);
    if (!peek().open) return;
    isClosingByAddress = true;
    peek().close();
  });

  // Of each column one card is a stop of the Tab key; the arrows go between cards and columns.

  function rove() {
    for (const list of lists()) {
      const tiles = tilesOf(list);
      const current = tiles.find((tile) => tile.contains(document.activeElement) || "current" in tile.dataset) || tiles[0];
      for (const tile of tiles) {
        for (const stop of tile.querySelectorAll("a")) stop.tabIndex = tile === current ? 0 : -1;
      }
    }
  }

  document.addEventListener("focusin", (event) => {
    const tile = event.target.closest?.(".column-cards > .tile");
    if (!tile) return;
    for (const other of tilesOf(tile.parentElement)) delete other.dataset.current;
    tile.dataset.current = "";
    rove();
  });

  function neighbour(tile, key) {
    const list = tile.parentElement;
    const tiles = tilesOf(list);
    const at = tiles.indexOf(tile);
    if (key === "ArrowDown") return tiles[at + 1];
    if (key === "ArrowUp") return tiles[at - 1];
    if (key === "Home") return tiles[0];
    if (key === "End") return tiles.at(-1);
    const filled = lists().filter((each) => each === list || each.querySelector(".tile"));
    const other = filled[filled.indexOf(list) + (key === "ArrowRight" ? 1 : -1)];
    return other && (tilesOf(other)[at] || tilesOf(other).at(-1));
  }

  const STEPS = new Set(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"]);

  document.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (held) return keyWhileHeld(event);
      const tile = event.target.closest?.(".column-cards > .tile");
      const isTyping = event.target.matches?.("input, textarea, select");
      const isOff = document.documentElement.dataset.shortcuts === "off";
      if (event.key === "z" && !isTyping && !isOff && undo) return takeBack();
      if (!tile || event.target !== linkOf(tile)) return;
      if (STEPS.has(event.key)) {
        event.preventDefault();
        const next = neighbour(tile, event.key);
        if (next) return goTo(next);
        if (event.key === "ArrowDown") byId(`more-${idOf(tile.parentElement)}`).focus();
      } else if (event.key === " ") {
        event.preventDefault();
        if (mayMove()) pickUp(tile, "keys");
      } else if (event.key === "m" && !isOff && mayMove()) {
        event.preventDefault();
        askWhereTo(tile.querySelector(".tile-move"), linkOf(tile));
      }
    },
    true,
  );

  function goTo(tile) {
    linkOf(tile).focus({ preventScroll: true });
    show(tile);
  }

  function show(tile) {
    tile.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function askWhereTo(button, opener = button) {
    opener.focus({ preventScroll: true }); // where the dialog gives it back to
    htmx.ajax("GET", button.getAttribute("href"), { target: "#dialog", swap: "innerHTML" });
  }

  // A card in the hand: picked up by key or by pointer, let go or put back.

  let held = null; // what is in the hand
  let dropped = null; // what was let go, until the server has answered
  let undo = null; // what the last drop can be taken back with

  const mayMove = () => "mayWrite" in live().dataset && !held && !dropped;

  function placeOf(tile) {
    return {
      list: tile.parentElement,
      before: idOf(tile.nextElementSibling),
      after: idOf(tile.previousElementSibling),
    };
  }

  function putAt(tile, place) {
    const next = byId(`card-${place.before}`);
    const last = byId(`card-${place.after}`);
    if (next?.parentElement === place.list) place.list.insertBefore(tile, next);
    else if (last?.parentElement === place.list) last.after(tile);
    else place.list.append(tile);
  }

  function pickUp(tile, by) {
    held = { tile, by, id: idOf(tile), title: linkOf(tile).textContent, from: placeOf(tile) };
    tile.classList.add("is-held");
    document.documentElement.classList.add("is-moving-cards");
    if (by === "keys") {
      say(`${held.title} picked up. The arrow keys move it, Space puts it down, Escape puts it back.`);
    }
  }

  function letGo() {
    const { tile } = held;
    tile.classList.remove("is-held");
    document.documentElement.classList.remove("is-moving-cards");
    held = null;
    fetchSoon(0);
    return tile;
  }

  function keyWhileHeld(event) {
    event.stopPropagation();
    event.preventDefault();
    if (event.key === "Escape") return press ? cancelPress() : putBack();
    if (held.by !== "keys") return;
    if (event.key === " " || event.key === "Enter") return drop(held.from);
    if (STEPS.has(event.key)) step(event.key);
  }

  function step(key) {
    const { tile } = held;
    const list = tile.parentElement;
    const at = tilesOf(list).indexOf(tile);
    if (key === "ArrowUp") tile.previousElementSibling?.before(tile);
    else if (key === "ArrowDown") tile.nextElementSibling?.after(tile);
    else if (key === "Home") list.prepend(tile);
    else if (key === "End") list.append(tile);
    else {
      const other = lists()[lists().indexOf(list) + (key === "ArrowRight" ? 1 : -1)];
      if (!other) return;
      other.insertBefore(tile, tilesOf(other)[at] || null);
    }
    linkOf(tile).focus({ preventScroll: true });
    show(tile);
    const tiles = tilesOf(tile.parentElement);
    say(`${nameOf(tile.parentElement)}, ${tiles.indexOf(tile) + 1} of ${tiles.length}`);
  }

  function putBack() {
    const { from, title, by } = held;
    const tile = letGo();
    putAt(tile, from);
    if (by === "keys") linkOf(tile).focus({ preventScroll: true });
    say(`${title} is back where it was.`);
  }

  /* Send where the card is now. Until the answer it stays there; a refusal puts it back. */
  function drop(from, isUndo = false) {
    const { id, title, by } = held;
    const tile = letGo();
    const to = placeOf(tile);
    if (by === "keys") linkOf(tile).focus({ preventScroll: true });
    if (to.list === from.list && to.before === from.before && to.after === from.after) {
      return say(`${title} stays where it was.`);
    }
    tile.classList.add("is-sent");
    dropped = { id, title, tile, from, to, isUndo, isDone: false };
    hideToast();
    byId("notices").replaceChildren();
    const values = { stage_id: idOf(to.list), request_id: newId(), drop: "1" };
    values.csrfmiddlewaretoken = byId("drop-form").elements.csrfmiddlewaretoken.value;
    if (to.after) values.after_card_id = to.after;
    else if (to.before) values.before_card_id = to.before;
    htmx.ajax("POST", `${root}cards/${id}/drop/`, { values, target: "#dialog", swap: "innerHTML" });
  }

  function newId() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  document.addEventListener("bakedbrie:changed", () => {
    if (dropped) dropped.isDone = true;
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    if (!dropped || !event.detail.requestConfig.path.endsWith(`/${dropped.id}/drop/`)) return;
    if (event.detail.xhr.status === 200) dropped.wasAsked = true; // settled when the dialog closes
    else settle();
  });

  document.addEventListener("close", (event) => event.target.id === "dialog" && dropped && settle(), true);

  function settle() {
    const { id, title, tile, from, to, isUndo, isDone, wasAsked } = dropped;
    tile.classList.remove("is-sent");
    dropped = null;
    stale.cards.add(id);
    fetchSoon(0);
    if (!isDone) {
      if (tile.isConnected) putAt(tile, from);
      if (tile.isConnected) linkOf(tile).focus({ preventScroll: true });
      say(`${title} is back where it was.`);
      return;
    }
    if (isUndo) return showToast(`“${title}” is back in ${nameOf(to.list)}.`, null);
    const told = to.list === from.list ? `“${title}” has a new place.` : `“${title}” is in ${nameOf(to.list)} now.`;
    showToast(told, wasAsked ? null : { id, from });
  }

  let toastTimer = 0;

  function showToast(text, back) {
    undo = back;
    const line = document.createElement("p");
    line.textContent = text;
    byId("toast").replaceChildren(line);
    if (back) {
      const button = document.createElement("button");
      button.type = "button";
      button.id = "undo";
      button.className = "button";
      button.textContent = "Undo";
      byId("toast").append(button);
    }
    hideToastLater();
  }

  function hideToastLater() {
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => (byId("toast").matches(":hover, :focus-within") ? hideToastLater() : hideToast()), TOAST_MS);
  }

  function hideToast() {
    undo = null;
    byId("toast").replaceChildren();
  }

  function takeBack() {
    const { id, from } = undo;
    const tile = byId(`card-${id}`);
    if (!tile || !from.list.isConnected || !mayMove()) return hideToast();
    pickUp(tile, "undo");
    const now = held.from;
    putAt(tile, from);
    linkOf(tile).focus({ preventScroll: true });
    drop(now, true);
  }

  // The pointer: a mouse takes a card when it moves, a finger when it rests; a column is taken by its name.

  let press = null;

  document.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0 || press || !mayMove()) return;
    const tile = event.target.closest(".column-cards > .tile");
    const head = event.target.closest("[data-between] > .column-head");
    if (event.target.closest(".tile-move, details") || (!tile && !head)) return;
    const piece = tile || head.parentElement;
    press = { piece, isColumn: !tile, x: event.clientX, y: event.clientY, isTouch: event.pointerType !== "mouse" };
    press.start = { x: press.x, y: press.y };
    if (press.isTouch) press.timer = setTimeout(takeUp, TOUCH_DELAY_MS);
  });

  document.addEventListener("pointermove", (event) => {
    if (!press) return;
    press.x = event.clientX;
    press.y = event.clientY;
    if (press.ghost) return;
    if (Math.hypot(press.x - press.start.x, press.y - press.start.y) <= SLOP_PX) return;
    if (press.isTouch) endPress();
    else takeUp();
  });

  document.addEventListener("pointerup", () => {
    if (!press) return;
    if (!press.ghost) return endPress();
    noClick = true;
    setTimeout(() => (noClick = false));
    follow();
    const { isColumn, piece, mark } = press;
    if (isColumn) return dropColumn(endPress());
    if (mark.isConnected) mark.replaceWith(piece);
    const { from } = held;
    endPress();
    drop(from);
  });

  document.addEventListener("pointercancel", () => cancelPress());
  addEventListener("blur", () => cancelPress());
  document.addEventListener("dragstart", (event) => event.target.closest?.(".tile") && event.preventDefault());
  document.addEventListener("contextmenu", (event) => press?.isTouch && event.preventDefault());
  document.addEventListener("touchmove", (event) => press?.ghost && event.cancelable && event.preventDefault(), {
    passive: false,
  });

  let noClick = false;

  function takeUp() {
    const { piece, isColumn, start } = press;
    const box = piece.getBoundingClientRect();
    const ghost = piece.cloneNode(true);
    ghost.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
    ghost.removeAttribute("id");
    ghost.setAttribute("aria-hidden", "true");
    ghost.classList.add("ghost");
    ghost.style.width = `${box.width}px`;
    ghost.style.maxHeight = `${box.height}px`;
    document.body.append(ghost);
    press.ghost = ghost;
    press.offset = { x: start.x - box.left, y: start.y - box.top };
    if (isColumn) {
      press.next = piece.nextElementSibling;
      piece.classList.add("is-held");
      document.documentElement.classList.add("is-moving-cards");
      held = { tile: piece, by: "pointer" };
    } else {
      pickUp(piece, "pointer");
      press.mark = document.createElement("li");
      press.mark.className = "drop-mark";
      press.mark.style.height = `${box.height}px`;
    }
    if (press.isTouch) navigator.vibrate?.(10);
    frame();
  }

  function frame() {
    if (!press?.ghost) return;
    follow();
    scrollAtEdges();
    requestAnimationFrame(frame);
  }

  function follow() {
    const { ghost, offset, x, y, isColumn } = press;
    ghost.style.transform = `translate(${x - offset.x}px, ${y - offset.y}px)`;
    const column = columnAt(x);
    if (!column) return;
    if (isColumn) shiftColumn(column);
    else markPlace(column.querySelector(".column-cards"));
  }

  function columnAt(x) {
    const all = [...document.querySelectorAll(".column[id^=stage-]")];
    return all.find((column) => x <= column.getBoundingClientRect().right) || all.at(-1);
  }

  function markPlace(list) {
    const { mark, piece, y } = press;
    const next = tilesOf(list).find((tile) => {
      const box = tile.getBoundingClientRect();
      return tile !== piece && y < box.top + box.height / 2;
    });
    if (mark.parentElement !== list || mark.nextElementSibling !== (next || null)) list.insertBefore(mark, next || null);
  }

  function shiftColumn(over) {
    const { piece, x } = press;
    if (over === piece || !("between" in over.dataset)) return;
    const box = over.getBoundingClientRect();
    if (x < box.left + box.width / 2) over.before(piece);
    else over.after(piece);
  }

  function scrollAtEdges() {
    const strip = byId("columns");
    scrollAtEdge(strip, "scrollLeft", press.x, strip.getBoundingClientRect().left, strip.getBoundingClientRect().right);
    if (press.isColumn) return;
    const list = press.mark.parentElement;
    const box = list?.getBoundingClientRect();
    if (list && list.scrollHeight > list.clientHeight) scrollAtEdge(list, "scrollTop", press.y, box.top, box.bottom);
    scrollAtEdge(document.scrollingElement, "scrollTop", press.y, 0, innerHeight);
  }

  function scrollAtEdge(box, side, at, from, to) {
    const near = Math.max(0, from + EDGE_PX - at) - Math.max(0, at - to + EDGE_PX);
    if (near) box[side] -= Math.sign(near) * Math.min(18, 2 + Math.abs(near) / 4);
  }

  function endPress() {
    const ended = press;
    clearTimeout(ended.timer);
    ended.ghost?.remove();
    ended.mark?.remove();
    press = null;
    return ended;
  }

  function cancelPress() {
    if (!press) return;
    const { ghost, isColumn, piece, next } = endPress();
    if (!ghost) return;
    if (!isColumn) return putBack();
    piece.parentElement.insertBefore(piece, next);
    letGo();
  }

  function dropColumn({ piece, next }) {
    letGo();
    const before = piece.nextElementSibling;
    if (before === next) return;
    const values = { before_stage_id: idOf(before), request_id: newId() };
    values.csrfmiddlewaretoken = byId("drop-form").elements.csrfmiddlewaretoken.value;
    htmx.ajax("POST", `${root}columns/${idOf(piece)}/order/`, { values, target: "#live", swap: "innerHTML" });
  }

  // Clicks.

  document.addEventListener(
    "click",
    (event) => {
      if (!noClick) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.target === peek()) return peek().close(); // beside the panel
    const link = event.target.closest("a, button");
    if (!link) return;
    if (link.id === "undo") return takeBack();
    if (!live().contains(link) && link.id !== "peek-close") return;
    const column = link.closest(".column");
    if (link.id === "peek-close") peek().close();
    else if (link.matches(".tile-move")) askWhereTo(link);
    else if (link.matches(".tile-title a")) openPeek(idOf(link), true);
    else if (link.matches(".column-more")) loadMore(column.querySelector(".column-cards"));
    else if (link.id === "show-all") showAll();
    else if (link.closest(".column-switch")) goToColumn(byId(link.hash.slice(1)));
    else return;
    event.preventDefault();
  });

  // A phone shows one column at a time: first the one where somebody is waited for, else one with cards.

  function goToColumn(column) {
    byId("columns").scrollLeft = column.offsetLeft - parseFloat(getComputedStyle(byId("columns")).scrollPaddingLeft || 0);
  }

  function markSwitch() {
    const links = [...document.querySelectorAll(".column-switch a")];
    if (!links.length || !links[0].offsetParent) return;
    const middle = byId("columns").scrollLeft + byId("columns").clientWidth / 2;
    const at = links.find((link) => {
      const column = byId(link.hash.slice(1));
      return column && column.offsetLeft + column.offsetWidth > middle;
    });
    for (const link of links) {
      if (link !== at) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        link.parentElement.scrollLeft = link.offsetLeft - 48;
      }
    }
  }

  function showFirst() {
    const links = [...document.querySelectorAll(".column-switch a")];
    if (!links.length || !links[0].offsetParent || location.hash) return;
    const count = (link) => link.querySelector(".count");
    const first = links.find((link) => count(link).matches(".is-needing")) || links.find((link) => parseInt(count(link).textContent, 10));
    if (first) goToColumn(byId(first.hash.slice(1)));
    markSwitch();
  }

  // Ages go on while the page stays open.

  const AGES = [
    ["year", "y", 31536000],
    ["month", "mo", 2592000],
    ["day", "d", 86400],
    ["hour", "h", 3600],
    ["minute", "min", 60],
  ];

  function age(seconds, isShort) {
    const [unit, short, length] = AGES.find(([, , each]) => seconds >= each) || [];
    if (!unit) return isShort ? "now" : "just now";
    const count = Math.floor(seconds / length);
    return isShort ? `${count} ${short}` : `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }

  function showAges() {
    for (const time of live().querySelectorAll("time")) {
      const text = age((Date.now() - Date.parse(time.dateTime)) / 1000, "short" in time.dataset);
      if (time.textContent !== text) time.textContent = text;
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    rove();
    showFirst();
    setInterval(showAges, 30000);
    if (!peek().open) return;
    peek().removeAttribute("open"); // as the server sent it; now it is opened as a panel
    showPeek();
  });
})();
