/** Counts durations in the buckets of a Prometheus histogram, for little more than an addition each. */

/** The upper bounds of the buckets in seconds; above the last one, only the total counts. */
export const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const boundsMs = bucketSeconds.map((seconds) => seconds * 1000);

export class DurationCounts {
  readonly #counts = new Float64Array(boundsMs.length);
  #total = 0;
  #sumMs = 0;

  add(durationMs: number): void {
    this.#total++;
    this.#sumMs += durationMs;
    for (let index = 0; index < boundsMs.length; index++) {
      if (durationMs > (boundsMs[index] ?? 0)) continue;
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      return;
    }
  }

  get total(): number {
    return this.#total;
  }

  get sumSeconds(): number {
    return this.#sumMs / 1000;
  }

  /** For each of `bucketSeconds`, how many durations were at most that long. */
  cumulative(): number[] {
    let sum = 0;
    return Array.from(this.#counts, (count) => {
      sum += count;
      return sum;
    });
  }
}
