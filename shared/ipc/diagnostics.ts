/** The client's recorded history, as stored, shown in Diagnostics and included in the support file. */
import { z } from 'zod';
import { timestamp } from '../api/fields.ts';
import { validateLicenseResponse } from '../api/license.ts';
import { subscriptionStatusResponse } from '../api/subscription.ts';
import { leaseClaims } from '../lease.ts';

/** A lease without its signature. */
const recordedLease = z.object({ kid: z.string(), claims: leaseClaims });

/**
 * The parts of a response that affect later decisions: enough to replay it, and nothing secret. Each endpoint has its
 * own field; responses of other endpoints have none.
 */
const answerContent = z
  .object({
    /** Id of the account that signed in. */
    account_id: z.string(),
    /** Without the human-readable message. */
    validation: validateLicenseResponse,
    status: subscriptionStatusResponse,
    activation: z.object({ activations: z.int(), max_activations: z.int() }),
    lease: recordedLease,
    /** Ids of the lease keys that the server publishes. */
    kids: z.array(z.string()),
    /** Whether the server says that it signs leases. */
    leases: z.boolean(),
    /** Names of the server's features, in its order. */
    feature_names: z.array(z.string()),
    /** Preview of the replacement key. */
    key_preview: z.string(),
  })
  .partial();
export type AnswerContent = z.infer<typeof answerContent>;

/** Client state at a point in time, from which a replay starts. Nothing secret. */
const knownFacts = z.object({
  /** Account of the session; `null` while nobody is signed in. */
  account_id: z.string().nullable(),
  /** Account whose lease applies while nobody is signed in. */
  lease_account_id: z.string().nullable(),
  /** Preview of the stored license key. */
  key_preview: z.string().nullable(),
  lease: recordedLease.nullable(),
  kids: z.array(z.string()),
  leases: z.boolean().nullable(),
  feature_names: z.array(z.string()).nullable(),
  /** Whether the server was reachable when last asked. */
  reachability: z.enum(['unknown', 'online', 'offline']),
  /** Other stored license data, as stored. */
  license: z.record(z.string(), z.unknown()),
});
export type KnownFacts = z.infer<typeof knownFacts>;

/** Fields of every entry. */
export const entryTimes = z.object({
  /** Wall clock time of this machine. */
  at: timestamp,
  /** Monotonic clock of this machine, which starts at 0 some time before each start of the client. */
  monotonic_ms: z.number(),
  /** Client state when the entry was added, in some entries only. Not recorded by earlier versions. */
  known: knownFacts.optional(),
});

/** A timeline entry. */
export const timelineEntry = z.discriminatedUnion('kind', [
  entryTimes.extend({
    kind: z.literal('start'),
    version: z.string(),
    /** Id of the machine's boot, if the system provides one, and the time since boot. */
    boot: z.object({ id: z.string().nullable(), ms: z.number() }).nullable(),
  }),
  entryTimes.extend({ kind: z.literal('stop') }),
  entryTimes.extend({
    kind: z.literal('answer'),
    endpoint: z.string(),
    outcome: z.enum(['success', 'error', 'unsupported', 'inconclusive']),
    code: z.string().nullable(),
    server_time: timestamp.nullable(),
    /** Number of consecutive responses with this outcome, and the time of the last one. */
    times: z.int(),
    last_at: timestamp,
    /** `last_at` by the monotonic clock. Earlier versions recorded neither this nor `said`. */
    last_monotonic_ms: z.number().optional(),
    said: answerContent.optional(),
    /** Id of the last failed request that reached the server, as in its log. Not recorded by earlier versions. */
    request_id: z.string().optional(),
  }),
  entryTimes.extend({ kind: z.enum(['sleep', 'wake']) }),
  /** The wall clock was set: it moved by `jumped_ms` more than the elapsed time. */
  entryTimes.extend({
    kind: z.literal('clock'),
    jumped_ms: z.number(),
    /** How long the machine slept meanwhile, which the monotonic clock may not count. */
    slept_ms: z.number().optional(),
  }),
  entryTimes.extend({
    kind: z.literal('command'),
    command: z.string(),
    outcome: z.string(),
    /** Duration. Not recorded by earlier versions. */
    took_ms: z.number().optional(),
    /** Of `importLease`: the imported lease. */
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

/** Numbers of answered and failed requests in an hour. */
export const connectionHour = z.object({ hour: timestamp, answered: z.int(), failed: z.int() });
export type ConnectionHour = z.infer<typeof connectionHour>;

export type Diagnostics = {
  /** Oldest first. */
  readonly timeline: readonly TimelineEntry[];
  /** Hours of the last seven days in which the server was asked, oldest first. */
  readonly connection: readonly ConnectionHour[];
};
