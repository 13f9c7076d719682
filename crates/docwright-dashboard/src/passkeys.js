// Requests a passkey from the browser and sends its response.
(() => {
  "use strict";
  const form = document.querySelector("form[data-passkey]");
  const button = form.querySelector("button");
  // The page contains all error texts and shows the matching one.
  const say = (what) => {
    for (const text of form.querySelectorAll("[data-when]")) text.hidden = text.dataset.when !== what;
  };
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer ?? []))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const options = () => {
    const options = JSON.parse(form.dataset.options);
    const named = [...(options.allowCredentials ?? []), ...(options.excludeCredentials ?? []), options.user];
    for (const thing of named.filter(Boolean)) thing.id = bytes(thing.id);
    options.challenge = bytes(options.challenge);
    return { publicKey: options };
  };
  const ask = async () => {
    button.disabled = true;
    say("");
    try {
      const { rawId, response } = await navigator.credentials[form.dataset.passkey](options());
      const answer = {
        id: rawId,
        client_data: response.clientDataJSON,
        attestation: response.attestationObject,
        authenticator_data: response.authenticatorData,
        signature: response.signature,
        user_handle: response.userHandle,
      };
      for (const [name, value] of Object.entries(answer)) {
        if (form.elements[name]) form.elements[name].value = text(value);
      }
      form.submit();
    } catch (error) {
      const reasons = { InvalidStateError: "known", NotAllowedError: "cancelled", SecurityError: "elsewhere" };
      say(reasons[error.name] ?? "failed");
      button.disabled = false;
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  if (!globalThis.PublicKeyCredential) return say("unsupported");
  button.hidden = false;
  if ("now" in form.dataset) ask();
})();
