/** Converts between days in date fields and the timestamps that the server stores. */

/** Returns the end of a local day (`2027-03-03`) as ISO 8601 in UTC. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString();
}

/** Returns the local day of a timestamp in the format of date fields; '' for `null`. */
export function dayOf(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  const pad = (part: number, length = 2) => String(part).padStart(length, '0');
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Returns the end of the chosen day, the stored time if that is on the same day, or `null` if none was chosen. */
export function endOfChosenDay(day: string, stored: string | null): string | null {
  if (day === dayOf(stored)) return stored;
  return day === '' ? null : endOfDay(day);
}
