/** What happened to the client, as it is stored, shown in Diagnostics and part of the support file. */
import { z } from 'zod';
import { timestamp } from '../api/fields.ts';
import { validateLicenseResponse } from '../api/license.ts';
import { subscriptionStatusResponse } from '../api/subscription.ts';
import { leaseClaims } from '../lease.ts';

/** A lease without its signature. */
const recordedLease = z.object({ kid: z.string(), claims: leaseClaims });

/**
 * What a response said that decides anything later: enough to replay it, and nothing secret. Each endpoint has a field of its
 * own; a response of any other endpoint has none.
 */
export const answerContent = z
  .object({
    /** The id of the account that has signed in. */
    account_id: z.string(),
    /** Without the sentence for people. */
    validation: validateLicenseResponse,
    status: subscriptionStatusResponse,
    activation: z.object({ activations: z.int(), max_activations: z.int() }),
    lease: recordedLease,
    /** The ids of the keys of leases that the server publishes. */
    kids: z.array(z.string()),
    /** Whether the server says that it signs leases. */
    leases: z.boolean(),
    /** Of the features that the server has, in its order. */
    feature_names: z.array(z.string()),
    /** Of the key that has replaced another one. */
    key_preview: z.string(),
  })
  .partial();
export type AnswerContent = z.infer<typeof answerContent>;

/** What the client knew at a moment: a replay begins there. Nothing secret. */
export const knownFacts = z.object({
  /** Of the session; `null` while nobody is signed in. */
  account_id: z.string().nullable(),
  /** Whose lease counts while nobody is signed in. */
  lease_account_id: z.string().nullable(),
  /** Of the license key that is stored. */
  key_preview: z.string().nullable(),
  lease: recordedLease.nullable(),
  kids: z.array(z.string()),
  leases: z.boolean().nullable(),
  feature_names: z.array(z.string()).nullable(),
  /** Whether the server could be reached when it was last asked. */
  reachability: z.enum(['unknown', 'online', 'offline']),
  /** The rest of what is stored of the license, as it is stored. */
  license: z.record(z.string(), z.unknown()),
});
export type KnownFacts = z.infer<typeof knownFacts>;

/** What every entry has. */
export const entryTimes = z.object({
  /** By the wall clock of this machine. */
  at: timestamp,
  /** By its monotonic clock, which starts at 0 somewhere before each start of the client. */
  monotonic_ms: z.number(),
  /** Now and then: what the client knew when the entry was added. Earlier versions did not record it. */
  known: knownFacts.optional(),
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
    /** The same moment by the monotonic clock. Earlier versions recorded neither this nor what was said. */
    last_monotonic_ms: z.number().optional(),
    said: answerContent.optional(),
  }),
  entryTimes.extend({ kind: z.enum(['sleep', 'wake']) }),
  /** The wall clock was set, by that much more than the time that passed. */
  entryTimes.extend({
    kind: z.literal('clock'),
    jumped_ms: z.number(),
    /** How long the machine was asleep meanwhile, which the monotonic clock may not count. */
    slept_ms: z.number().optional(),
  }),
  entryTimes.extend({
    kind: z.literal('command'),
    command: z.string(),
    outcome: z.string(),
    /** How long it took. Earlier versions did not record it. */
    took_ms: z.number().optional(),
    /** Of `importLease`: what was imported. */
    lease: recordedLease.optional(),
    /** Of `releaseDevice`: whether it was this device. */
    this_device: z.boolean().optional(),
  }),
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
