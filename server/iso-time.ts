/** Parses dates and times as people and other systems write them in commands and files. */
import { z } from 'zod';

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true, local: true });

/** Parses an ISO 8601 date or time to ms since 1970, as UTC if it has no time zone; `undefined` for any other text. */
export function parseIsoTime(text: string): number | undefined {
  if (date.safeParse(text).success) return Date.parse(text);
  if (!dateTime.safeParse(text).success) return undefined;
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
}

/** Converts a time such as `2027-01-31 12:00:00 UTC` to ISO 8601, and leaves any other text as it is. */
export function toIsoForm(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:)/, '$1T$2').replace(/ ?UTC$/, 'Z');
}
