/** The heartbeat intervals that are offered. */
const minutes = [1, 2, 5, 10, 15, 30, 60];

/** In seconds; an interval that was set elsewhere stays choosable. */
export function intervalChoices(current: number): readonly number[] {
  const seconds = minutes.map((count) => count * 60);
  return seconds.includes(current) ? seconds : [...seconds, current].sort((one, other) => one - other);
}
