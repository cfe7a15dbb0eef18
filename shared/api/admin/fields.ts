/** Fields shared by several admin API messages. */
import { z } from 'zod';
import { maxDeviceCount } from '../../formats/plan-fields.ts';

/** Text that both databases can store and compare. */
export const plainText = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be valid Unicode text without NUL');

/** A whole number in a query, from 1 to `max`. */
export function queryNumber(max: number) {
  const message = `must be a whole number from 1 to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= 1 && number <= max, message);
}

/** Query of every list. Without `after`, the first page; with it, the page after the one that returned it as `next`. */
export const listQuery = z.object({
  /** Case-insensitive prefix, without spaces around it; each list says what it searches. */
  search: plainText.trim().max(254, 'must have at most 254 characters').optional(),
  /** `next` of the previous page. */
  after: plainText.max(600, 'must be what a list returned as next').optional(),
  /** Rows per page; 50 by default. */
  limit: queryNumber(200).optional(),
  /** `csv` returns the whole list, from `after` on, as a CSV file. */
  format: z.literal('csv', 'must be csv').optional(),
});

/** The filters in a list's query. */
export type ListFilter<Query extends typeof listQuery> = Omit<z.infer<Query>, 'after' | 'limit' | 'format'>;

/** Paging fields of every list. */
export const pageFields = {
  /**
   * Pass as `after` to get the next page; null at the end. A page may have fewer rows than `limit`, or none, and still
   * have a next one: when few rows match a filter, the table is searched in parts.
   */
  next: z.string().nullable(),
  /** Number of rows in the whole list; an estimate or a lower bound if not exact. */
  total: z.object({ count: z.int().nonnegative(), is_exact: z.boolean() }),
};

/** A record identified by id in the path. */
export const idParams = z.object({ id: plainText });

/** A record identified by name in the path. */
export const nameParams = z.object({ name: plainText });

/** ISO 8601 with a time zone, past or future. */
export const dateField = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date and time with a time zone' });

const countMessage = `must be a whole number from 0 to ${maxDeviceCount}`;
export const deviceCount = z.int(countMessage).min(0, countMessage).max(maxDeviceCount, countMessage);

export const success = z.object({ success: z.literal(true) });

/** Name of a plan. */
export const planName = plainText.max(50, 'must be the name of a plan');
