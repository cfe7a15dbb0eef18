/** Fields that several messages of the admin API share. */
import { z } from 'zod';
import { maxDeviceCount } from '../../formats/plan-fields.ts';

/** Text that both databases can store and compare. */
export const plainText = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be valid Unicode text without NUL');

const maxPageRows = 200;
const limitMessage = `must be a whole number from 1 to ${maxPageRows}`;

/** The query of every list. Without `after` it is the first page; with it, the one after the page whose `next` it is. */
export const listQuery = z.object({
  /** The beginning of what is searched for, in upper or lower case. Each list says what that may be. */
  search: plainText.max(254, 'must have at most 254 characters').optional(),
  /** `next` of the page before. */
  after: plainText.max(600, 'must be what a list returned as next').optional(),
  /** Rows of a page; 50 by default. */
  limit: z
    .string()
    .regex(/^\d{1,3}$/, limitMessage)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= maxPageRows, limitMessage)
    .optional(),
  /** `csv` gives the whole list, from `after` on, as a CSV file instead of a page. */
  format: z.literal('csv', 'must be csv').optional(),
});

/** What the query of a list narrows it to. */
export type ListFilter<Query extends typeof listQuery> = Omit<z.infer<Query>, 'after' | 'limit' | 'format'>;

/** What every list says about itself. */
export const pageFields = {
  /**
   * Pass it as `after` to get the next page; null at the end. A page may have fewer rows than `limit`, or none, and still
   * have a next one: a filter that few rows match is searched a part of the table at a time.
   */
  next: z.string().nullable(),
  /** How many rows the whole list has. Where it is not exact, there are about, or at least, so many. */
  total: z.object({ count: z.int().nonnegative(), is_exact: z.boolean() }),
};

/** A record named in the path by its id. */
export const idParams = z.object({ id: plainText });

/** One named by its name. */
export const nameParams = z.object({ name: plainText });

/** ISO 8601 with a time zone, past or future. */
export const dateField = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date and time with a time zone' });

const countMessage = `must be a whole number from 0 to ${maxDeviceCount}`;
export const deviceCount = z.int(countMessage).min(0, countMessage).max(maxDeviceCount, countMessage);

export const success = z.object({ success: z.literal(true) });

/** The name of a plan. */
export const planName = plainText.max(50, 'must be the name of a plan');
