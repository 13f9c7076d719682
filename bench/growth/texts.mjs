// Text for generated docs. It is the same in each run.

const WORDS = "release bundle domain export archive index member reader writer branch commit worker lease queue".split(" ");

/** A generator of pseudorandom numbers and text. */
export function texts() {
  let state = 1;
  const random = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  const sentence = () => `${Array.from({ length: 12 }, () => WORDS[random(WORDS.length)]).join(" ")}.`;
  return { random, sentence, paragraph: () => Array.from({ length: 6 }, sentence).join(" ") };
}
