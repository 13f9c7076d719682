// Changes of one file or two. Each returns what it did, or `undefined` if there is nothing to change.

/** Changes the text of a random file of some. */
export function changeFile({ docs, random }, paths, what, change) {
  const path = random.one(paths.filter((each) => docs.has(each)));
  if (!path) return undefined;
  const before = docs.read(path);
  const after = change(before, path);
  if (after === undefined || after === before) return undefined;
  docs.write(path, after);
  return `${path}: ${what}`;
}

/** Exchanges two random files of some, with their times. */
export function exchangeFiles({ docs, random }, paths) {
  const [one, other] = random.shuffled(paths);
  if (!other) return undefined;
  docs.move(one, "edited-exchange.tmp");
  docs.move(other, one);
  docs.move("edited-exchange.tmp", other);
  return `${one} and ${other} exchanged`;
}
