/** What happened to the client, as it is stored, shown in Diagnostics and part of the support file. */
import { z } from 'zod';
import { timestamp } from '../api/fields.ts';

/** What every entry has. */
export const entryTimes = z.object({
  /** By the wall clock of this machine. */
  at: timestamp,
  /** By its monotonic clock, which starts at 0 somewhere before each start of the client. */
  monotonic_ms: z.number(),
});

/** One thing that happened. */
export const timelineEntry = z.discriminatedUnion('kind', [
  entryTimes.extend({
    kind: z.literal('start'),
    version: z.string(),
    /** Which start of the machine it was, if the system names it, and how long before. */
    boot: z.object({ id: z.string().nullable(), ms: z.number() }).nullable(),
  }),
  entryTimes.extend({ kind: z.literal('stop') }),
  entryTimes.extend({
    kind: z.literal('answer'),
    endpoint: z.string(),
    outcome: z.enum(['success', 'error', 'unsupported', 'inconclusive']),
    code: z.string().nullable(),
    server_time: timestamp.nullable(),
    /** The same outcome in a row, and when the last one was. */
    times: z.int(),
    last_at: timestamp,
  }),
  entryTimes.extend({ kind: z.enum(['sleep', 'wake']) }),
  /** The wall clock was set, by that much more than the time that passed. */
  entryTimes.extend({ kind: z.literal('clock'), jumped_ms: z.number() }),
  entryTimes.extend({ kind: z.literal('command'), command: z.string(), outcome: z.string() }),
  entryTimes.extend({
    kind: z.literal('decision'),
    license: z.string(),
    reason: z.string().nullable(),
    until: timestamp.nullable(),
    features_on: z.array(z.string()),
  }),
]);
export type TimelineEntry = z.infer<typeof timelineEntry>;

/** How often the server answered in an hour, and how often it did not. */
export const connectionHour = z.object({ hour: timestamp, answered: z.int(), failed: z.int() });
export type ConnectionHour = z.infer<typeof connectionHour>;

export type Diagnostics = {
  /** Oldest first. */
  readonly timeline: readonly TimelineEntry[];
  /** The hours of the last seven days in which the server was asked, oldest first. */
  readonly connection: readonly ConnectionHour[];
};
