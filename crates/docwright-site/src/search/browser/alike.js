// Words of readers for which English documentation often has another word, in groups. They are looked up when a word
// of a query is on few pages.
var ALIKE_WORDS = (
  "allowlist whitelist safelist|blocklist blacklist denylist block ban|mock fake stub dummy simulate|mask hide redact " +
  "obfuscate conceal|spreadsheet excel csv xlsx sheet|country location region geography|undo revert rollback restore " +
  "recover|delete remove drop erase trash|rename retitle|picture image photo|movie video clip|phone telephone call dial|" +
  "voicemail answerphone|fast quick speed performance|slow latency lag|cheap cost price|invoice bill receipt|money " +
  "payment billing|buy purchase order|refund chargeback|customer client|employee member staff teammate|boss admin owner " +
  "administrator|firewall allowlist network|proxy gateway|vpn tunnel|crash fail failure error|broken fail error|freeze " +
  "hang stuck timeout|throttle throttling ratelimit limit|duplicate copy clone|merge combine join|split divide chunk|" +
  "folder directory|trash archive bin|secret credential password token|mfa 2fa otp totp|sso saml oidc|gdpr privacy " +
  "compliance|telemetry analytics tracking usage|diagram chart graph plot|dashboard console portal|button widget|popup " +
  "modal dialog|dropdown select menu|color theme|font typography|logo branding|mobile phone ios android|desktop " +
  "app|terminal shell console cli|script code|library package module sdk|dependency package|function method|variable " +
  "parameter argument option|loop iterate foreach|array list|dictionary map object hash|string text|number integer|" +
  "boolean flag|null empty missing none|date time timestamp|timezone tz|cronjob schedule cron recurring|queue backlog " +
  "job|worker thread process|parallel concurrent concurrency|background async asynchronous|wait block sleep delay|pause " +
  "suspend|resume continue|kill terminate stop end|restart reboot reload|upgrade update migrate|downgrade rollback|" +
  "version release|backup snapshot dump|import upload ingest load|export download extract|convert transform migrate " +
  "translate|stream streaming realtime|notify notification alert|email mail|sms text message|chatbot bot|speak " +
  "voice speech tts|listen transcribe stt|silence idle inactive inactivity|noise background|interrupt barge|language " +
  "locale i18n|test check verify validate|compare difference diff|explain describe|tutorial guide example|faq question|" +
  "license subscription|machine server host node|cluster nodes|container docker image|cloud hosted saas|selfhosted selfhost " +
  "onprem|domain hostname url|link url href|header headers|cookie session|cache caching|cors origin|certificate ssl tls " +
  "https|encrypt encryption|sign signature|hash checksum|wallet account|coin token currency|fee gas cost|send transfer|" +
  "receive deposit|withdraw withdrawal payout|cap limit quota maximum|amount number count|often frequency interval|" +
  "rotate renew refresh|expire expiration ttl lifetime|visible public show|private hidden|share sharing invite|permission " +
  "role access rbac|audit log trail history|debug troubleshoot inspect|monitor observe observability metrics|profile " +
  "account settings|workspace project team organization|tag label|category group folder|comment note annotation|search " +
  "find lookup query|filter where|sort order|page pagination|row record|column field|cell|table|chart"
);
// What questions ask for, in the words of documentation.
var ASKS = {
  "how many": "limit maximum quota", "too many": "limit", "how much": "price pricing cost", "how long": "timeout duration ttl",
  "how often": "interval frequency", "how big": "size limit maximum", "how large": "size limit maximum",
  "how fast": "latency performance speed",
};
// Certainty of these words.
var ASKED_FOR = 0.6;
// Share of the pages up to which a word is on few pages.
var FEW_PAGES = 0.01;
// Certainty of another word, if the site has the word of the query, and if it doesn't.
var ALIKE = 0.3;
var ALIKE_TO_UNKNOWN = 0.6;

// Returns the stems that are alike a stem.
function alikeStems(stemOf) {
  var groups = new Map();
  ALIKE_WORDS.split("|").forEach(function (group) {
    var stems = group.split(" ").map(stemOf);
    stems.forEach(function (one) { groups.set(one, (groups.get(one) || []).concat(stems)); });
  });
  return function (wanted) {
    return Array.from(new Set(groups.get(wanted) || [])).filter(function (other) { return other !== wanted; });
  };
}

// The stems of what two words of a query ask for, or nothing.
function askedFor(before, word, stemOf) {
  var asked = ASKS[before + " " + word];
  return asked ? asked.split(" ").map(stemOf) : null;
}
