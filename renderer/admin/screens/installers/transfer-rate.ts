/** Measures the recent transfer rate. */

/** Long enough for a steady value, short enough to react when a connection slows down. */
const windowMs = 5_000;

type Sample = { readonly atMs: number; readonly bytes: number };

/**
 * Returns a function that takes the number of bytes done so far and returns bytes per second over the last five
 * seconds.
 */
export function createTransferRate(startedAtMs: number): (bytes: number, nowMs: number) => number {
  let samples: Sample[] = [{ atMs: startedAtMs, bytes: 0 }];
  return (bytes, nowMs) => {
    const recent = samples.findLastIndex(({ atMs }) => atMs <= nowMs - windowMs);
    samples = [...samples.slice(Math.max(recent, 0)), { atMs: nowMs, bytes }];
    const [oldest = { atMs: nowMs, bytes }] = samples;
    const elapsedMs = nowMs - oldest.atMs;
    return elapsedMs > 0 ? Math.round(((bytes - oldest.bytes) / elapsedMs) * 1000) : 0;
  };
}
