/* What the review page adds: two seconds in which a decision can be taken back before anything is sent.

   Without this file a decision is sent at once. */
"use strict";

(() => {
  const SECONDS = 2;
  const TOLD = { approve: "Approving…", request_changes: "Requesting changes…", reject: "Rejecting…" };
  let timer = 0;

  function buttonsOf(form) {
    return form.querySelectorAll('button[name="decision"]');
  }

  function hold(form, button) {
    const line = form.querySelector("#undo");
    line.querySelector("[data-told]").textContent = TOLD[button.value] || "Sending…";
    line.hidden = false;
    for (const one of buttonsOf(form)) one.disabled = true;
    line.querySelector("[data-take-back]").focus();
    timer = setTimeout(() => let_go(form, button), SECONDS * 1000);
  }

  function let_go(form, button) {
    timer = 0;
    for (const one of buttonsOf(form)) one.disabled = false;
    form.dataset.undo = "over";
    form.requestSubmit(button);
  }

  function takeBack(form) {
    clearTimeout(timer);
    timer = 0;
    form.querySelector("#undo").hidden = true;
    for (const one of buttonsOf(form)) one.disabled = false;
    document.getElementById("said").textContent = "Taken back. Nothing was sent.";
    buttonsOf(form)[0].focus();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-undo]") || form.dataset.undo === "over") return;
    event.preventDefault();
    if (timer || !event.submitter) return;
    const note = form.elements.note;
    if (event.submitter.value === "request_changes" && !note.value.trim()) {
      note.setCustomValidity("Write what should change: the agent gets it.");
      note.reportValidity();
      return;
    }
    hold(form, event.submitter);
  });

  document.addEventListener("input", (event) => event.target.id === "note" && event.target.setCustomValidity(""));

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-take-back]")) takeBack(event.target.closest("form"));
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && timer) takeBack(document.getElementById("decide"));
  });

  // A page that the browser kept from before would send the old form again.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
})();
