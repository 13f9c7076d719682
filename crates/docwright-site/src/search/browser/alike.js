// What questions ask for, in the words of documentation.
var ASKS = {
  "how many": "limit maximum quota", "too many": "limit", "how much": "price pricing cost", "how long": "timeout duration ttl",
  "how often": "interval frequency", "how big": "size limit maximum", "how large": "size limit maximum",
  "how fast": "latency performance speed",
};
// Certainty of these words.
var ASKED_FOR = 0.6;

// The stems of what two words of a query ask for, or nothing.
function askedFor(before, word, stemOf) {
  var asked = ASKS[before + " " + word];
  return asked ? asked.split(" ").map(stemOf) : null;
}
