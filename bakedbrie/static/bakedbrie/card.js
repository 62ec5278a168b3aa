/* What the card page adds: uploads by button, drag and paste, text that outlives a reload, and previews that break.

   Without this file every form of the card still works. */
"use strict";

(() => {
  const AT_ONCE = 2;
  const byId = (id) => document.getElementById(id);
  const live = () => byId("live");

  function made(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function say(text) {
    byId("said").textContent = text;
  }

  function refresh() {
    return htmx.ajax("GET", live().dataset.url, { target: "#live", swap: "innerHTML" });
  }

  // What somebody types stays until it is sent, in this tab alone and for this person: past a reload, a session that
  // ended, and a way to another page and back. With it stays what the form was made from, so that a change of somebody
  // else in between is still a conflict.

  const draftKey = (form) => `bakedbrie:${live().dataset.member}:${live().dataset.card}:${form.id}`;
  const OF_THE_PAGE = new Set(["csrfmiddlewaretoken", "request_id"]);

  function stored(act) {
    try {
      return act(sessionStorage);
    } catch {
      return null; // it is full, or turned off
    }
  }

  function fieldsOf(form) {
    return [...form.elements].filter((field) => field.name && field.type !== "file" && !OF_THE_PAGE.has(field.name));
  }

  function isTyped(form) {
    return fieldsOf(form).some((field) => {
      if (field.type === "hidden") return false;
      if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected);
      return field.value !== field.defaultValue;
    });
  }

  const valuesOf = (form) => Object.fromEntries(fieldsOf(form).map((field) => [field.name, field.value]));

  function keepDraft(form) {
    stored((store) => (isTyped(form) ? store.setItem(draftKey(form), JSON.stringify(valuesOf(form))) : forget(form)));
  }

  function forget(form) {
    stored((store) => store.removeItem(draftKey(form)));
  }

  function fill(form, values) {
    for (const field of fieldsOf(form)) if (field.name in values) field.value = values[field.name];
    const details = form.closest("details");
    if (details) details.open = true;
  }

  // What came back is told from what is saved, and let go by a button.

  function mark(form, before) {
    const discard = made("button", { type: "button", className: "button is-small", textContent: "Discard" });
    const line = made("p", { className: "unsaved small" }, "Your unsaved text ", discard);
    form.prepend(line);
    discard.addEventListener("click", () => {
      fill(form, before);
      forget(form);
      line.remove();
      const details = form.closest("details");
      if (details) details.open = false;
      (details?.querySelector("summary") || form.querySelector("textarea")).focus();
      say("Discarded.");
      refresh();
    });
  }

  function bringDraftsBack() {
    const found = [...document.querySelectorAll("form[data-draft]")].filter((form) => {
      const text = isTyped(form) ? null : stored((store) => store.getItem(draftKey(form)));
      if (!text) return false;
      const before = valuesOf(form);
      fill(form, JSON.parse(text));
      if (isTyped(form)) mark(form, before);
      return isTyped(form);
    });
    if (found.length) say("What you had typed here is back.");
  }

  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (form?.matches("[data-draft]")) keepDraft(form);
  });

  document.addEventListener("reset", (event) => {
    const form = event.target;
    if (!form.matches("[data-draft]") || !isTyped(form)) return;
    const values = valuesOf(form);
    forget(form);
    offerBack(form, values);
  });

  function offerBack(form, values) {
    const again = made("button", { type: "button", className: "button", textContent: "Bring it back" });
    const line = made("p", { className: "let-go small", role: "status" }, "What you typed was not saved. ", again);
    const details = form.closest("details");
    details.parentElement.querySelector(".let-go")?.remove();
    details.after(line);
    again.addEventListener("click", () => {
      line.remove();
      fill(byId(form.id), values);
      keepDraft(byId(form.id));
    });
  }

  document.addEventListener("htmx:afterRequest", (event) => {
    const { xhr, requestConfig } = event.detail; // a refusal is an answer to htmx, and the form is no longer in the page
    if (xhr.status >= 200 && xhr.status < 300 && requestConfig.elt.matches("form[data-draft]")) forget(requestConfig.elt);
  });

  // Somebody changed the card under an open form: told before it is sent, not only after.

  function tellOfChange() {
    const form = byId("edit-form");
    const title = document.querySelector(".card-title");
    byId("changed-meanwhile")?.remove();
    if (!form || !title || !form.closest("details").open) return;
    if (form.elements.seen.value === title.dataset.seen || form.querySelector("#as-it-is-now")) return;
    const text = "This card was changed meanwhile. When you save, you see both texts; nothing is lost.";
    form.prepend(made("p", { id: "changed-meanwhile", className: "changed-meanwhile small", role: "status" }, text));
  }

  // Uploads: each file is a request of its own, with an id that stays when it is sent again, so that it arrives once.

  const lines = []; // the state of each upload, as long as it is shown
  let list = null; // the element that shows them, which outlives the piece of the page around it
  let focusedLine = null;

  const form = () => byId("upload");
  const isOver = (line) => line.state === "done" || line.state === "refused" || line.state === "canceled";

  function addFiles(files) {
    if (!form() || !files.length) return;
    list ||= byId("upload-lines");
    const most = Number(form().dataset.mostBytes);
    let room = Number(form().dataset.room) - lines.filter((line) => !isOver(line)).length;
    for (const file of files) {
      const line = { file, id: crypto.randomUUID(), state: "waiting", sent: 0, told: "", request: null };
      if (file.size > most) Object.assign(line, { state: "refused", told: `Too large: at most ${form().dataset.most}.` });
      else if (room-- <= 0) Object.assign(line, { state: "refused", told: "The card has no room for more files." });
      lines.push(line);
      draw(line);
    }
    say(files.length === 1 ? `Uploading ${files[0].name}.` : `Uploading ${files.length} files.`);
    sendNext();
  }

  function draw(line) {
    if (!line.element) {
      line.about = made("span", { className: "small soft" });
      line.bar = made("progress", { max: 100, value: 0 });
      line.bar.setAttribute("aria-label", `Upload of ${line.file.name}`);
      line.button = made("button", { type: "button", className: "button is-quiet is-small" });
      line.button.addEventListener("click", () => press(line));
      const name = made("span", { className: "upload-name", textContent: line.file.name });
      line.element = made("li", {}, name, line.button, line.bar, line.about);
      list.append(line.element);
    }
    const [told, action] = {
      waiting: ["Waiting", "Cancel"],
      sending: [line.sent < 100 ? `${line.sent} %` : "Being stored…", "Cancel"],
      failed: [line.told, "Retry"],
      refused: [line.told, "Dismiss"],
      done: [line.told || "Added", "Dismiss"],
      canceled: ["", "Dismiss"],
    }[line.state];
    line.about.textContent = told;
    line.button.textContent = action;
    line.button.setAttribute("aria-label", `${action}: ${line.file.name}`);
    line.bar.value = line.sent;
    line.bar.hidden = line.state !== "sending";
    line.element.className = `is-${line.state}`;
    list.hidden = list.childElementCount === 0;
  }

  function press(line) {
    if (line.state === "failed") {
      Object.assign(line, { state: "waiting", sent: 0, told: "" });
      draw(line);
      sendNext();
      return;
    }
    const isUnderway = !isOver(line);
    line.state = isUnderway ? "canceled" : line.state;
    line.request?.abort();
    drop(line);
    if (isUnderway) say(`Upload of ${line.file.name} canceled.`);
    sendNext();
  }

  function drop(line) {
    const hadFocus = line.element.contains(document.activeElement);
    line.element.remove();
    lines.splice(lines.indexOf(line), 1);
    list.hidden = list.childElementCount === 0;
    if (hadFocus) (list.querySelector("button") || byId("file"))?.focus();
  }

  function sendNext() {
    const underway = lines.filter((line) => line.state === "sending").length;
    const next = lines.filter((line) => line.state === "waiting").slice(0, Math.max(0, AT_ONCE - underway));
    next.forEach(send);
    if (!next.length && !underway) allSent();
  }

  async function send(line) {
    line.state = "sending";
    draw(line);
    if (line.needsToken) await freshToken();
    if (line.state !== "sending") return;
    const body = new FormData();
    body.set("csrfmiddlewaretoken", form()?.elements.csrfmiddlewaretoken.value || "");
    body.set("request_id", line.id);
    body.set("file", line.file);
    const request = (line.request = new XMLHttpRequest());
    request.open("POST", form()?.action || line.action);
    line.action = form()?.action || line.action;
    request.setRequestHeader("HX-Request", "true");
    request.setRequestHeader("HX-Target", "upload-lines");
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable || line.state !== "sending") return;
      line.sent = Math.floor((event.loaded / event.total) * 100);
      draw(line);
    });
    request.addEventListener("load", () => answered(line, request));
    request.addEventListener("error", () => ended(line, "failed", "The connection was lost. Retry when it is back."));
    request.send(body);
  }

  function answered(line, request) {
    const answer = new DOMParser().parseFromString(request.responseText, "text/html");
    if (request.status < 300) {
      const kept = answer.querySelector("[data-kept]");
      return kept ? ended(line, "done", kept.textContent) : ended(line, "failed", "You are signed out. Sign in in another tab, then retry.");
    }
    const refusal = [...answer.querySelectorAll(".refusal > *")].map((part) => part.textContent.trim()).join(" ");
    line.needsToken = request.status === 401 || request.status === 403;
    // What only this file is refused for stays refused; everything else may go better next time.
    const isFinal = [400, 409, 413, 422].includes(request.status);
    ended(line, isFinal ? "refused" : "failed", refusal || `Something went wrong on our side (${request.status}).`);
  }

  function ended(line, state, told) {
    if (line.state !== "sending") return;
    Object.assign(line, { state, told, request: null });
    draw(line);
    if (state !== "done") say(`${line.file.name}: ${told}`);
    sendNext();
  }

  async function allSent() {
    const added = lines.filter((line) => line.state === "done" && !line.isTold);
    if (!added.length) return;
    added.forEach((line) => (line.isTold = true));
    await refresh();
    added.filter((line) => !line.told).forEach(drop);
    say(added.length === 1 ? `${added[0].file.name} was added. ${added[0].told}` : `${added.length} files were added.`);
  }

  // After signing in again in another tab, forms need the token of the new session.

  async function freshToken() {
    try {
      const answer = await fetch(live().dataset.url, { headers: { "HX-Request": "true" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const token = page.querySelector("[name=csrfmiddlewaretoken]")?.value;
      if (token) for (const field of document.getElementsByName("csrfmiddlewaretoken")) field.value = token;
    } catch {
      // The upload itself will tell that the server cannot be reached.
    }
  }

  document.addEventListener("change", (event) => {
    if (event.target.id !== "file") return;
    addFiles([...event.target.files]);
    event.target.value = "";
  });

  const bringsFiles = (event) => form() && [...(event.dataTransfer?.types || [])].includes("Files");
  let depth = 0;

  function showDrop(isOn) {
    document.body.classList.toggle("is-dropping", isOn);
  }

  document.addEventListener("dragenter", (event) => {
    if (bringsFiles(event) && ++depth === 1) showDrop(true);
  });

  document.addEventListener("dragleave", (event) => {
    if (bringsFiles(event) && --depth <= 0) showDrop(Boolean((depth = 0)));
  });

  document.addEventListener("dragover", (event) => {
    if (!bringsFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });

  document.addEventListener("drop", (event) => {
    depth = 0;
    showDrop(false);
    if (!bringsFiles(event)) return;
    event.preventDefault();
    const folders = [...event.dataTransfer.items].filter((item) => item.webkitGetAsEntry?.()?.isDirectory);
    const names = new Set(folders.map((item) => item.getAsFile()?.name));
    addFiles([...event.dataTransfer.files].filter((file) => !names.has(file.name)));
    if (folders.length) warn("A folder cannot be uploaded. Drop the files in it.");
  });

  document.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files || [])];
    const isText = [...(event.clipboardData?.types || [])].includes("text/plain");
    if (!form() || !files.length || (isText && event.target.closest("input, textarea"))) return;
    event.preventDefault();
    addFiles(files);
  });

  function warn(text) {
    byId("notices").replaceChildren(made("p", { textContent: text }));
  }

  addEventListener("beforeunload", (event) => {
    if (lines.some((line) => line.state === "sending" || line.state === "waiting")) event.preventDefault();
  });

  // Pictures and players that break say so.

  document.addEventListener(
    "error",
    (event) => {
      const part = event.target;
      if (!(part instanceof Element) || !part.matches("[data-may-break]")) return;
      const told = part.closest(".preview-body")?.querySelector("[data-broken]");
      if (told) told.hidden = false;
      if (told) part.hidden = true;
      else part.replaceWith(made("span", { className: "file-mark", ariaHidden: "true", textContent: "?" }));
    },
    true,
  );

  document.addEventListener("close", (event) => event.target.querySelectorAll("audio, video").forEach((one) => one.pause()), true);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form?.matches("[data-draft]")) {
      event.preventDefault();
      event.target.form.requestSubmit(event.target.form.querySelector(".is-primary"));
    }
    const step = { ArrowLeft: "preview-before", ArrowRight: "preview-after" }[event.key];
    const isFree = !event.target.closest("audio, video, input, textarea, .sheet, .source");
    if (step && isFree && byId("dialog")?.open && byId("preview")) byId(step)?.click();
  });

  // Around a swap of the page's piece.

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== live()) return;
    focusedLine = list?.contains(document.activeElement) ? document.activeElement : null;
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "dialog") byId("preview")?.closest("dialog").scrollTo(0, 0);
    if (event.detail.target !== live()) return;
    if (list && byId("upload-lines") && byId("upload-lines") !== list) byId("upload-lines").replaceWith(list);
    focusedLine?.focus({ preventScroll: true });
    tellOfChange();
  });

  // Filters and older parts stand in the address; the piece of the page is then fetched with them.
  document.addEventListener("htmx:replacedInHistory", (event) => {
    live().dataset.url = event.detail.path.replace(/#.*/, "");
  });

  document.addEventListener("DOMContentLoaded", () => {
    list = byId("upload-lines");
    bringDraftsBack();
  });
})();
