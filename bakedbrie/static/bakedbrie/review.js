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

  /* What may be ticked stands beside the texts, not within the form. What was ticked when it was decided stays so. */
  function ticksOf(form) {
    return [...form.elements].filter((one) => one.name === "shown");
  }

  function lock(form, isHeld) {
    for (const one of [...buttonsOf(form), ...ticksOf(form)]) one.disabled = isHeld;
  }

  function count() {
    const line = document.querySelector("[data-ticked]");
    if (!line) return;
    const n = ticksOf(line.closest("form")).filter((one) => one.checked).length;
    line.textContent = `${n} of ${line.dataset.of} ticked`;
  }

  function hold(form, button) {
    const line = form.querySelector("#undo");
    line.querySelector("[data-told]").textContent = TOLD[button.value] || "Sending…";
    line.hidden = false;
    lock(form, true);
    line.querySelector("[data-take-back]").focus();
    timer = setTimeout(() => let_go(form, button), SECONDS * 1000);
  }

  function let_go(form, button) {
    timer = 0;
    lock(form, false);
    form.dataset.undo = "over";
    form.requestSubmit(button);
  }

  function takeBack(form) {
    clearTimeout(timer);
    timer = 0;
    form.querySelector("#undo").hidden = true;
    lock(form, false);
    document.getElementById("said").textContent = "Taken back. Nothing was sent.";
    buttonsOf(form)[0].focus();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-undo]") || form.dataset.undo === "over") return;
    event.preventDefault();
    if (timer || !event.submitter) return;
    const ticks = ticksOf(form);
    if (ticks.length && !ticks.some((one) => one.checked)) {
      ticks[0].setCustomValidity("Look at it, and tick it to approve it.");
      ticks[0].reportValidity();
      return;
    }
    const note = form.elements.note;
    if (event.submitter.value === "request_changes" && !note.value.trim()) {
      note.setCustomValidity("Write what should change: the agent gets it.");
      note.reportValidity();
      return;
    }
    hold(form, event.submitter);
  });

  document.addEventListener("input", (event) => {
    if (event.target.id === "note") event.target.setCustomValidity("");
    if (event.target.name !== "shown") return;
    for (const one of ticksOf(event.target.form)) one.setCustomValidity("");
    count();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-take-back]")) takeBack(event.target.closest("form"));
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && timer) takeBack(document.getElementById("decide"));
  });

  count();

  // A page that the browser kept from before would send the old form again.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
})();
