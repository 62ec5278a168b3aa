/* The pages before the door, and those of the own account.

   Without this file every form still works; only passkeys need a script. */
"use strict";

(() => {
  // The zone of this computer, where nobody has chosen one yet.

  for (const select of document.querySelectorAll("[data-own-zone] select")) {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if ([...select.options].some((option) => option.value === own)) select.value = own;
  }

  // A form is sent once, however often its button is pressed.

  for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.isSent) event.preventDefault();
      form.dataset.isSent = "yes";
    });
  }
  addEventListener("pageshow", () => {
    for (const form of document.forms) delete form.dataset.isSent;
  });
})();
