/* What htmx does not do: live hints, dialogs and menus, shortcuts, and keeping what somebody is typing.

   The server decides everything; without this file every form still works. */
"use strict";

(() => {
  const RETRY_FIRST_MS = 1000;
  const RETRY_MOST_MS = 20000;
  const HINTS_TOGETHER_MS = 150;
  const NOTICE_MS = 12000;

  const byId = (id) => document.getElementById(id);
  const live = () => byId("live");

  const root = document.documentElement.dataset.root; // "/", or the path that BakedBrie lies below

  document.documentElement.classList.add("has-script");

  // The piece of the page that changes is fetched again, never patched from a hint.

  let refreshTimer = 0;
  let isStale = false;

  // A script of the page may take it over: the board fetches only the cards that changed.
  function refreshSoon(hint) {
    const stale = new CustomEvent("bakedbrie:stale", { detail: hint || {}, cancelable: true });
    if (!document.dispatchEvent(stale)) return;
    clearTimeout(refreshTimer);
    refreshTimer = setTimeout(refresh, HINTS_TOGETHER_MS);
  }

  function refresh() {
    if (!live() || !live().dataset.url) return;
    if (document.hidden) {
      isStale = true;
      return;
    }
    isStale = false;
    isDue = isPressed;
    if (!isDue) htmx.ajax("GET", live().dataset.url, { source: "#live", target: "#live", swap: "innerHTML" });
  }

  // A button that is swapped between press and release would swallow the click: the swap waits.

  let isPressed = false;
  let isDue = false;

  function release() {
    isPressed = false;
    if (isDue) refreshSoon();
    isDue = false;
  }

  document.addEventListener("pointerdown", (event) => (isPressed = event.button === 0), true);
  document.addEventListener("pointermove", (event) => isPressed && !event.buttons && release(), true); // let go of a scrollbar
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, release, true);
  addEventListener("blur", release);

  // Live hints by server-sent events. The browser reopens a broken stream by itself; a refused one it gives up.

  let stream = null;
  let since = {}; // when the page was asked for: the first stream tells whether something changed until it began
  let retryMs = RETRY_FIRST_MS;
  let retryTimer = 0;
  let wasLost = false;

  function showConnection(isLost) {
    wasLost = isLost;
    if (!isLost) isUnsent = false; // whoever hears hints can send as well
    tellConnection();
  }

  // A form whose sending failed stays as it was typed. Its request_id goes along again, so that it acts once at most.

  const UNSENT = "No connection. What you typed is still here. Send it again when the connection is back: it counts once.";
  let isUnsent = false;

  function tellConnection() {
    const text = isUnsent ? UNSENT : wasLost ? "Connection lost, trying again…" : "";
    const box = byId("connection");
    if (!box || box.textContent === text) return;
    const line = document.createElement("p");
    line.textContent = text;
    box.replaceChildren(...(text ? [line] : []));
  }

  function showUnsent(isNow) {
    isUnsent = isNow;
    tellConnection();
  }

  addEventListener("online", () => showUnsent(false));

  document.addEventListener("submit", (event) => {
    // A browser would leave the page, and the text with it, for a page of its own.
    if (navigator.onLine || event.target.closest("[hx-post]")) return;
    event.preventDefault();
    showUnsent(true);
  });

  function connect() {
    clearTimeout(retryTimer);
    if (stream) stream.close();
    stream = new EventSource(`${root}events?${new URLSearchParams({ board: live().dataset.board, ...since })}`);
    stream.onopen = () => {
      since = {};
      retryMs = RETRY_FIRST_MS;
      if (wasLost || isStale) refreshSoon(); // hints of the time between were not heard
      showConnection(false);
    };
    stream.onmessage = (message) => hear(message.data);
    stream.onerror = () => {
      showConnection(true);
      if (stream.readyState !== EventSource.CLOSED) return;
      retryTimer = setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
    };
  }

  function hear(data) {
    const card = live().dataset.card;
    let hint = {};
    try {
      hint = JSON.parse(data);
    } catch {
      // Whatever it was, something changed.
    }
    if (/^review_|^look_again$/.test(hint.kind)) htmx.trigger(document.body, "reviews");
    if (hint.kind === "turn_line") {
      // An agent wrote a line: only the page of its card shows it, and fetches nothing else.
      if (card && hint.card === card) htmx.trigger(document.body, "turn-line");
    } else if (!card || !hint.card || hint.card === card) {
      refreshSoon(hint);
    }
  }

  function startLive() {
    if (!live()) return;
    if (live().dataset.since) since = { since: live().dataset.since };
    if (live().dataset.board) connect();
    const everyS = Number(live().dataset.everyS || 0);
    if (everyS) setInterval(refresh, everyS * 1000);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && stream) {
        // Browsers allow few streams per server: a hidden tab gives its own back.
        stream.close();
        stream = null;
        clearTimeout(retryTimer);
        isStale = true;
      } else if (!document.hidden) {
        if (live().dataset.board && !stream) connect();
        if (isStale) refreshSoon();
      }
    });
    addEventListener("pagehide", () => {
      if (stream) stream.close();
      stream = null;
    });
    addEventListener("pageshow", (event) => {
      if (event.persisted && live().dataset.board) {
        isStale = true;
        connect();
      }
    });
  }

  // A form that somebody is using is carried over a swap of the piece around it, with text, files and focus.

  let kept = [];

  function isInUse(piece) {
    if (piece.open || piece.contains(document.activeElement)) return true;
    return [...piece.querySelectorAll("input, textarea")].some((field) => {
      if (field.type === "hidden") return false;
      return field.type === "file" ? field.files.length > 0 : field.value !== field.defaultValue;
    });
  }

  function keepDrafts(region, sender) {
    kept = [...region.querySelectorAll("[data-keep]")]
      .filter((piece) => isInUse(piece) && !(sender && piece.contains(sender)))
      .map((piece) => {
        const focused = piece.contains(document.activeElement) ? document.activeElement : null;
        const hasSelection = focused && typeof focused.selectionStart === "number";
        return { piece, focused, selection: hasSelection ? [focused.selectionStart, focused.selectionEnd] : null };
      });
  }

  function putDraftsBack() {
    for (const { piece, focused, selection } of kept) {
      const fresh = byId(piece.id);
      if (!fresh || fresh === piece) continue;
      // Signing in again in another tab makes the tokens of older forms worthless.
      const token = fresh.querySelector("[name=csrfmiddlewaretoken]")?.value;
      if (token) for (const field of piece.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
      fresh.replaceWith(piece);
      htmx.process(piece);
      if (!focused) continue;
      focused.focus({ preventScroll: true });
      if (selection) focused.setSelectionRange(...selection);
    }
    kept = [];
  }

  // After a swap focus stays at the form that was sent, or where the page goes on when that is gone.

  let focusNext = null;

  function noteFocus(region, request) {
    const form = request.elt.closest("form");
    const wasInside = form !== null || region.contains(document.activeElement);
    const submitter = request.triggeringEvent?.submitter;
    focusNext = wasInside ? { button: submitter?.id || "", details: form?.closest("details")?.id || "" } : null;
  }

  function keepFocus() {
    const next = focusNext;
    focusNext = null;
    const isLost = () => !document.activeElement || document.activeElement === document.body;
    if (!next || !isLost()) return;
    byId(next.button)?.focus();
    const details = byId(next.details);
    if (isLost()) details?.querySelector(details.open ? "[aria-invalid=true], [data-first]" : "summary")?.focus();
    if (isLost()) (live().querySelector("h1[tabindex]") || byId("main")).focus({ preventScroll: true });
  }

  // What the server says beside its content.

  function say(text) {
    const box = byId("said");
    if (box) box.textContent = text;
  }

  let noticeTimer = 0;

  function warn(text) {
    const box = byId("notices");
    if (!box) return;
    const line = document.createElement("p");
    line.textContent = text;
    box.replaceChildren(line);
    clearTimeout(noticeTimer);
    noticeTimer = setTimeout(() => box.replaceChildren(), NOTICE_MS);
  }

  // A field with a limit says how much of it is used, in characters as the server counts them.

  document.addEventListener("input", (event) => {
    const { counter, most } = event.target.dataset;
    if (!counter || !byId(counter)) return;
    const used = [...event.target.value].length;
    byId(counter).textContent = `${used.toLocaleString("en")} of ${Number(most).toLocaleString("en")} characters`;
    byId(counter).classList.toggle("is-over", used > Number(most));
  });

  // The dialog gives focus back to what opened it: by its id, because the page under the dialog may be fetched anew.

  let openerId = "";

  function openDialog() {
    const dialog = byId("dialog");
    if (dialog.open) return;
    openerId = document.activeElement.id;
    dialog.showModal();
  }

  function closeDialog() {
    const dialog = byId("dialog");
    if (dialog && dialog.open) dialog.close();
  }

  document.addEventListener("close", (event) => event.target.id === "dialog" && byId(openerId)?.focus(), true);

  // A refusal is shown whatever its status: of a service that could not be reached, it says what to do.

  function holdsRefusal(xhr) {
    const isPage = (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html");
    if (!isPage || !xhr.responseText.includes("data-code")) return false;
    const answer = new DOMParser().parseFromString(xhr.responseText, "text/html");
    return answer.querySelector(".refusal[data-code]") !== null;
  }

  // An answer about choices that were changed since: the next one is on its way.
  function isBehind(element, xhr) {
    const { elements } = element.closest("form");
    const sent = [...new URL(xhr.responseURL).searchParams];
    return sent.some(([name, value]) => elements[name] && elements[name].value !== value);
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr, requestConfig } = event.detail;
    if (requestConfig.elt.matches("[data-latest]") && isBehind(requestConfig.elt, xhr)) {
      event.detail.shouldSwap = false;
      return;
    }
    if (xhr.status >= 500 && holdsRefusal(xhr)) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
    if (!target || target.id !== "live") return;
    if (isPressed && requestConfig.elt === target) {
      event.detail.shouldSwap = false;
      isDue = true;
      return;
    }
    keepDrafts(target, event.detail.requestConfig.elt.closest("form"));
    noteFocus(target, event.detail.requestConfig);
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    const target = event.detail.target;
    if (!target) return;
    if (target.id === "live") {
      putDraftsBack();
      keepFocus();
    }
    if (target.id === "dialog") openDialog();
    if (target.id === "move-box") say(byId("consequences")?.innerText || "");
  });

  // What was told of the last act is over with the next one; a piece that is fetched anew by itself is none.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt.matches("form, a, button")) byId("notices")?.replaceChildren();
  });

  document.addEventListener("htmx:responseError", (event) => {
    const id = event.detail.xhr.getResponseHeader("X-Request-Id");
    warn(`Something went wrong on our side. Nothing was lost here; try again. Request id: ${id || "unknown"}`);
  });

  document.addEventListener("htmx:sendError", () => showUnsent(true));
  document.addEventListener("htmx:afterRequest", (event) => event.detail.xhr.status && showUnsent(false));

  document.addEventListener("bakedbrie:changed", (event) => {
    closeDialog();
    if (event.detail && event.detail.said) say(event.detail.said);
    refreshSoon();
  });

  document.addEventListener("bakedbrie:said", (event) => say(event.detail.value));

  // A button copies what the element with the id in its data-copy holds; selected, it can be copied by hand as well.

  async function copy(button) {
    const from = byId(button.dataset.copy);
    const text = from.value ?? from.textContent;
    if (from.select) from.select();
    else getSelection().selectAllChildren(from);
    let isCopied = false;
    try {
      await navigator.clipboard.writeText(text);
      isCopied = true;
    } catch {
      isCopied = document.execCommand("copy"); // without https there is no clipboard
    }
    button.textContent = isCopied ? "Copied" : "Selected";
    say(isCopied ? "Copied." : "Selected. Copy it with the keyboard.");
  }

  document.addEventListener("click", (event) => {
    const copies = event.target.closest("[data-copy]");
    if (copies) copy(copies);
    const opens = event.target.closest("[data-opens]");
    if (opens) openSheet(byId(opens.dataset.opens), opens);
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (opens || !menu.contains(event.target)) menu.open = false;
    }
    if (event.target.closest("[data-close]")) {
      const details = event.target.closest("details");
      if (!details) return (event.target.closest("dialog") || byId("dialog")).close();
      details.open = false;
      details.querySelector("form")?.reset();
      details.querySelector("summary").focus();
    }
  });

  document.addEventListener(
    "toggle",
    (event) => {
      if (!event.target.open || document.activeElement?.matches("[data-again]")) return;
      event.target.querySelector("[aria-invalid=true], [data-first]")?.focus();
    },
    true,
  );

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const details = document.activeElement.closest("details.composer[open], details.menu[open]");
      if (details?.matches(".menu")) {
        details.open = false;
        details.querySelector("summary").focus();
      } else if (details) details.querySelector("[data-close]").click();
    }
  });

  // What somebody chooses for this browser shows at once; the form tells the server, which sets it from then on.

  document.addEventListener("click", (event) => {
    const chosen = event.target.closest("form[data-choice] button[aria-pressed]");
    if (!chosen) return;
    document.documentElement.dataset[chosen.name] = chosen.value;
    for (const one of chosen.form.querySelectorAll("button[aria-pressed]")) {
      one.setAttribute("aria-pressed", String(one === chosen));
    }
    if (chosen.name !== "theme") return;
    const scheme = chosen.value === "system" ? "light dark" : chosen.value;
    document.querySelector("meta[name=color-scheme]").content = scheme;
  });

  // Shortcuts. An element with data-key is clicked, or focused where one types; "g b" is g and then b. Its name in the
  // sheet is data-key-name, or what it is called. Keys that a script of the page answers itself stand in a hidden
  // <dl data-shortcuts="On the board">, what they do in <dt> and they in <dd>; such a script looks at
  // <html data-shortcuts> first, which is "off" for who wants none.

  const SECOND_KEY_MS = 1500;
  const NO_TEXT = "[type=checkbox], [type=radio], [type=button], [type=submit], [type=file]";
  let firstKey = "";
  let firstKeyTimer = 0;

  function takesText(element) {
    const field = element.closest?.("input, textarea, select, [contenteditable=true]");
    return Boolean(field && !field.matches(NO_TEXT));
  }

  function holders() {
    const all = [...document.querySelectorAll("[data-key]")].filter(
      (each) => !each.matches("input, textarea") || each.checkVisibility(),
    );
    // What the page itself offers goes before the frame.
    return [...all.filter((each) => each.closest("main")), ...all.filter((each) => !each.closest("main"))];
  }

  function press(holder) {
    if (!holder.matches("input, textarea")) return holder.click();
    holder.focus();
    holder.select();
  }

  document.addEventListener("keydown", (event) => {
    const isOff = document.documentElement.dataset.shortcuts === "off";
    if (isOff || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (takesText(event.target) || document.querySelector("dialog[open]")) return;
    const keys = firstKey ? `${firstKey} ${event.key}` : event.key;
    const found = holders();
    const holder = found.find((each) => each.dataset.key === keys);
    firstKey = "";
    clearTimeout(firstKeyTimer);
    if (holder) {
      event.preventDefault();
      press(holder);
    } else if (found.some((each) => each.dataset.key.startsWith(`${event.key} `))) {
      firstKey = event.key;
      firstKeyTimer = setTimeout(() => (firstKey = ""), SECOND_KEY_MS);
    }
  });

  function nameOf(holder) {
    const name = holder.dataset.keyName || holder.getAttribute("aria-label") || holder.textContent;
    return name.replace(/\s+/g, " ").trim();
  }

  function listOf(title, rows) {
    const list = document.createElement("dl");
    for (const [keys, name] of rows) {
      const row = document.createElement("div");
      const [told, shown] = [document.createElement("dt"), document.createElement("dd")];
      told.textContent = name;
      for (const key of keys.split(" ")) {
        const kbd = document.createElement("kbd");
        kbd.textContent = key;
        shown.append(kbd, " ");
      }
      row.append(told, shown);
      list.append(row);
    }
    const head = document.createElement("h2");
    head.textContent = title;
    return [head, list];
  }

  function listShortcuts() {
    const groups = { "On this page": new Map(), Everywhere: new Map() };
    const seen = new Set();
    for (const holder of holders()) {
      if (seen.has(holder.dataset.key)) continue;
      seen.add(holder.dataset.key);
      const group = holder.closest("main, .tabs") ? "On this page" : "Everywhere";
      groups[group].set(holder.dataset.key, nameOf(holder));
    }
    const lists = [...document.querySelectorAll("dl[data-shortcuts]")].map((list) => {
      const rows = [...list.querySelectorAll("dt")].map((dt) => [dt.nextElementSibling.textContent, dt.textContent]);
      return listOf(list.dataset.shortcuts, rows);
    });
    const own = Object.entries(groups).filter(([, rows]) => rows.size).map(([title, rows]) => listOf(title, rows));
    byId("shortcuts-list").replaceChildren(...[...lists, ...own].flat());
  }

  function openSheet(sheet, opener) {
    if (!sheet || sheet.open) return;
    if (sheet.id === "shortcuts") listShortcuts();
    const before = opener.closest("details.menu") ? opener.closest("details.menu").querySelector("summary") : opener;
    const wasFocused = document.activeElement === document.body || opener.contains(document.activeElement);
    const back = wasFocused ? before : document.activeElement;
    sheet.showModal();
    sheet.addEventListener("close", () => back.focus(), { once: true });
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    startLive();
  });
})();
