/* The pages before the door, and those of the own account.

   Without this file every form still works; only passkeys need a script. */
"use strict";

(() => {
  // The zone of this computer, where nobody has chosen one yet.

  for (const select of document.querySelectorAll("[data-own-zone] select")) {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if ([...select.options].some((option) => option.value === own)) select.value = own;
  }

  // Passkeys. The server asks, the device answers, and the answer goes out in the form as if it had been typed.

  const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));

  const toText = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replace(/\+/g, "-")
      .replace(/\//g, "_")
      .replace(/=+$/, "");

  const withBytes = (list) => (list || []).map((one) => ({ ...one, id: toBytes(one.id) }));

  async function options(form) {
    const answer = await fetch(form.dataset.passkey, { method: "POST", body: new FormData(form), redirect: "error" });
    const read = await answer.json();
    if (!answer.ok) throw new Error(read.problem);
    return read.publicKey;
  }

  async function make(asked) {
    const user = { ...asked.user, id: toBytes(asked.user.id) };
    const excludeCredentials = withBytes(asked.excludeCredentials);
    const publicKey = { ...asked, challenge: toBytes(asked.challenge), user, excludeCredentials };
    const made = await navigator.credentials.create({ publicKey });
    return sealed(made, { attestationObject: toText(made.response.attestationObject) });
  }

  async function use(asked) {
    const allowCredentials = withBytes(asked.allowCredentials);
    const publicKey = { ...asked, challenge: toBytes(asked.challenge), allowCredentials };
    const used = await navigator.credentials.get({ publicKey });
    const { authenticatorData, signature, userHandle } = used.response;
    return sealed(used, {
      authenticatorData: toText(authenticatorData),
      signature: toText(signature),
      userHandle: userHandle && toText(userHandle),
    });
  }

  const sealed = (one, parts) => ({
    id: one.id,
    rawId: toText(one.rawId),
    type: one.type,
    response: { clientDataJSON: toText(one.response.clientDataJSON), ...parts },
    clientExtensionResults: one.getClientExtensionResults(),
    authenticatorAttachment: one.authenticatorAttachment,
  });

  // What a browser says when a person closes its question is no news to them.
  const inWords = (error) =>
    error.name === "NotAllowedError"
      ? "The passkey was not used."
      : error.name === "InvalidStateError"
        ? "This device has a passkey for your account already."
        : error.name === "SecurityError"
          ? "Passkeys do not work at this address."
          : error.name === "Error"
            ? error.message
            : "Something went wrong. Load the page again.";

  for (const button of document.querySelectorAll("[data-passkey-do]")) {
    const form = button.form;
    if (!window.PublicKeyCredential) continue;
    button.closest("[data-passkey-only]").hidden = false;
    button.addEventListener("click", async () => {
      const name = form.elements.name;
      if (name && !name.reportValidity()) return;
      const problem = document.getElementById("passkey-problem");
      button.disabled = true;
      problem.textContent = "";
      try {
        const asked = await options(form);
        const answer = await (button.dataset.passkeyDo === "make" ? make(asked) : use(asked));
        form.elements.credential.value = JSON.stringify(answer);
        form.submit();
      } catch (error) {
        problem.textContent = inWords(error);
        button.disabled = false;
      }
    });
  }

  // What is shown once can be kept as a file.

  for (const button of document.querySelectorAll("[data-download]")) {
    button.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([document.getElementById(button.dataset.from).value + "\n"]));
      link.download = button.dataset.download;
      link.click();
      URL.revokeObjectURL(link.href);
    });
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
