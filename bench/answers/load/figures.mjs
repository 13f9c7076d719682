// Figures of a run.

/** The value below which a share of the values is. */
export function percentile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (values) => percentile(values, 0.5);

/** The delays of the tool itself. */
export const lag = (rows) => rows.map((row) => row.lag);

/** How many answers ended in which way. */
export function outcomes(rows) {
  const counts = {};
  for (const { outcome } of rows) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`).join(", ");
}

/** The memory over time, and how much the last fifth is above the second one: the first one fills caches. */
export function memory(recorded) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
  const fifth = Math.max(1, Math.floor(recorded.length / 5));
  const [early, late] = [median(recorded.slice(fifth, 2 * fifth)), median(recorded.slice(-fifth))];
  const step = Math.max(1, Math.floor(recorded.length / 15));
  const shown = recorded.filter((_, second) => second % step === 0).map(megabytes);
  return `Memory in MB, every ${step} s: ${shown.join(" ")}; median of the last fifth ${megabytes(late)}, of the second ${megabytes(early)} (${(((late - early) / early) * 100).toFixed(1)}%)`;
}
