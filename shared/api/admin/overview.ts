/** Data of the overview screen. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';

/**
 * Each kind has its own `params`, which the page formats into a sentence, and its own button. A `count` that is only a
 * lower bound has `at_least`.
 */
const attentionKinds = [
  /** No installer hashes are published. */
  'no_installer',
  /** There is only one owner; if they lose access, nobody can do what only owners may do. */
  'single_owner',
  /** `count` members of staff have no passkey. */
  'staff_without_passkey',
  /** `count` subscriptions are past due. */
  'subscriptions_past_due',
  /** `count` active licenses end within `days`. */
  'licenses_ending',
  /** `count` legacy API keys end within `days`. */
  'legacy_keys_ending',
  /** The server is reached over plain HTTP from other machines. */
  'plain_http',
  /**
   * No backup was ever restored and verified; or, with `days`, the last time was that long ago or one has failed since.
   */
  'backup_not_proven',
  /** The end of the audit log is not the one the server recorded. */
  'audit_log_cut',
  /** The secrets file is missing, damaged or of another database. The server still has its secrets. */
  'secrets_file_lost',
  /** `count` mails are waiting to be sent, the oldest for longer than usual. */
  'mails_waiting',
  /** `count` events were not accepted by their webhook endpoints yet, the oldest for longer than usual. */
  'events_waiting',
  /** `count` webhook deliveries failed permanently in the last `days`. */
  'webhook_failures',
  /** `count` billing events could not be applied. */
  'billing_unknown',
] as const;

const attention = z.object({
  kind: z.enum(attentionKinds),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Attention = z.infer<typeof attention>;

const count = z.int().nonnegative();

export const overview = z.object({
  /** Time of the counts; null until the first ones are complete. */
  counted_at: timestamp.nullable(),
  counts: z.object({
    accounts: count,
    /** Those that grant access now. */
    subscriptions: count,
    /** With the status active. */
    licenses: count,
    /** Activated devices. */
    devices: count,
    /** Activated devices seen in the last 24 hours. */
    devices_alive: count,
    /** Keys that are not revoked. */
    api_keys: count,
  }),
  /** 30 days in UTC, oldest first, ending today. */
  days: z.array(
    z.object({
      /** `2026-11-22` */
      date: z.string(),
      /** Activated devices seen that day; null if the server did not count. */
      devices_alive: count.nullable(),
      activations: count,
      sign_ins: count,
      /** Refused sign-ins. */
      refusals: count,
    }),
  ),
  attention: z.array(attention),
  /** Time of the last verified restore of a backup. */
  last_proven_restore: timestamp.nullable(),
});
export type Overview = z.infer<typeof overview>;
