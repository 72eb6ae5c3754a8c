// Has the owner's device make or use a passkey for the forms that ask for one. Without this
// file, and in browsers that cannot, those forms stay hidden.
"use strict";
(() => {
  const can = window.PublicKeyCredential;
  if (!can || !can.parseCreationOptionsFromJSON || !can.parseRequestOptionsFromJSON || !can.prototype.toJSON) return;
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const failed = form.querySelector("[role=alert]");
    const ask = async () => {
      const { answer, ...fields } = Object.fromEntries(new FormData(form));
      const got = await fetch(form.dataset.passkey, { method: "POST", body: new URLSearchParams(fields) });
      const prove = got.headers.get("Pdpp-Prove");
      if (prove) return location.assign(prove);
      if (!got.ok || got.redirected) throw new Error("no options");
      const options = await got.json();
      const made = options.rp
        ? await navigator.credentials.create({ publicKey: can.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: can.parseRequestOptionsFromJSON(options) });
      form.elements.answer.value = JSON.stringify(made);
      form.submit();
    };
    let asking = false;
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      if (asking) return;
      asking = true;
      failed.hidden = true;
      ask().catch(() => { failed.hidden = false; }).finally(() => { asking = false; });
    });
    form.hidden = false;
  }
})();
