// Asks whether services that need consent can load. `services` loads them, once.
var root = document.documentElement;
var key = "docwright-consent";
// A browser that asks sites not to follow its reader has answered, until the reader answers otherwise on this site.
var signal = navigator.globalPrivacyControl || navigator.doNotTrack === "1";
var agreement = signal ? "accepted-despite-signal" : "accepted";
var loaded = false;
var opener = null;

function show(open) {
  root.toggleAttribute("data-consent", open);
}

// Nothing unloads a service but a page without it.
function apply(answer) {
  var agreed = !!answer && answer.startsWith(agreement);
  if (agreed === loaded) return;
  loaded = agreed;
  if (agreed) services();
  else location.reload();
}

function close() {
  show(false);
  if (opener) opener.focus();
  opener = null;
}

var first = null;
try {
  first = localStorage.getItem(key);
} catch (_) {
  first = null;
}
show(!first && !signal);
apply(first);

document.addEventListener("click", function (event) {
  var button = event.target.closest("[data-consent-answer],[data-consent-open]");
  if (!button) return;
  var answer = button.dataset.consentAnswer;
  if (!answer) {
    opener = button;
    show(true);
    document.querySelector(".dw-consent").focus();
    return;
  }
  if (answer === "accepted") answer = agreement;
  // Where storage is forbidden, the answer is that of this page.
  try {
    localStorage.setItem(key, answer);
  } catch (_) {
    key = "";
  }
  close();
  apply(answer);
});

// An unanswered question stays.
document.addEventListener("keydown", function (event) {
  if (event.key === "Escape" && opener) close();
});

// The answer that a reader gives in another tab.
addEventListener("storage", function (event) {
  if (event.key !== key || !event.newValue) return;
  close();
  apply(event.newValue);
});
