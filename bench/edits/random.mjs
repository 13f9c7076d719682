// Choices that a seed determines.

/** A generator of choices. */
export function choices(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    /** A number from 0 to the one below `limit`. */
    below,
    /** An item of a list. `undefined` if it is empty. */
    one: (list) => list[below(list.length)],
    /** Whether something happens that has a probability. */
    chance: (probability) => next() < probability,
    /** A list in another order. */
    shuffled: (list) => list.map((item) => [next(), item]).sort(([one], [other]) => one - other).map(([, item]) => item),
  };
}
