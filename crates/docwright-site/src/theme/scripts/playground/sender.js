// Checks the form, sends the request, and shows what comes back.

// `parts` are the button, the response, the samples, and the history of the dialog.
function Sender(data, settings, sections, { send, response, samples, history }) {
  let controller = null;

  // Shows what is wrong, and moves to the first wrong input. Returns whether all is well.
  function isValid() {
    const wrong = [...sections.servers.check(), ...sections.parameters.flatMap(checkParameter), ...(sections.body ? sections.body.check() : [])];
    if (wrong.length === 0) return true;
    wrong[0].focus();
    wrong[0].scrollIntoView({ block: "center" });
    return false;
  }

  function checkParameter({ parameter, control }) {
    const wrong = control.check();
    const problem = wrong.length === 0 && pathProblem(parameter, control.read());
    if (!problem) return wrong;
    const input = document.getElementById(control.id);
    showError(input, document.getElementById(input.getAttribute("aria-describedby").split(" ").at(-1)), problem);
    return [input];
  }

  function setSending(isSending) {
    send.textContent = isSending ? "Cancel" : "Send";
    send.dataset.sending = String(isSending);
  }

  async function submit() {
    if (controller) {
      controller.abort();
      return;
    }
    if (!isValid()) return;
    if (settings.mode === "show") {
      await copyText(samples.text(), send);
      return;
    }
    const request = composeRequest(data, sections, false);
    const notes = notesOn(request, settings);
    const own = new AbortController();
    controller = own;
    setSending(true);
    response.wait("Waiting for the response …");
    const began = performance.now();
    let status = null;
    try {
      const answer = await exchange(request, settings, own.signal);
      status = answer.status;
      const isOwn = settings.mode === "proxy" || new URL(request.url).origin === location.origin;
      response.element.scrollIntoView({ block: "nearest" });
      await response.show(answer, began, isOwn);
    } catch (error) {
      if (own.signal.aborted) {
        // What came before the reader canceled stays.
        if (status === null) response.fail("Canceled");
        else response.status.append(create("span", {}, "Canceled"));
      } else if (error instanceof ProxyError) response.fail("Not sent", error.message);
      else if (status !== null) response.status.append(create("span", {}, "The connection was lost"));
      else if (!isByBrowser(request, settings)) response.fail("No response", "The server of this page can't be reached. Check your connection, then send again.");
      else response.fail("No response", "The address can be wrong, the server can be down, or it doesn't allow requests from this page: it must return the header Access-Control-Allow-Origin, to OPTIONS requests as well (CORS). Copy the request to send it from a terminal.", String(error.message || error));
    }
    notes.forEach(response.note);
    if (status !== null) history.add(status, stateOf(sections));
    controller = null;
    setSending(false);
  }

  return { submit, cancel: () => controller && controller.abort() };
}
