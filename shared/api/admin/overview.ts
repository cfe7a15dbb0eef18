/** What the overview shows. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** Each kind has its own `params`, which the page puts into a sentence, and its own button. */
export const attentionKinds = [
  /** No installer hashes are published. */
  'no_installer',
  /** There is one owner only; if they lose their access, nobody can do what an owner does. */
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
  /** No backup was ever restored and checked; with `days` the last time was so long ago, or one has failed since. */
  'backup_not_proven',
  /** The end of the audit log is not the one that the server remembers. */
  'audit_log_cut',
  /** `count` mails wait to be sent, the oldest for longer than usual. */
  'mails_waiting',
  /** `count` deliveries of webhooks failed for good in the last `days`. */
  'webhook_failures',
  /** `count` billing events could not be applied. */
  'billing_unknown',
] as const;

export const attention = z.object({
  kind: z.enum(attentionKinds),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Attention = z.infer<typeof attention>;

const count = z.int().nonnegative();

export const overview = z.object({
  /** When the counts were made; null until the first ones are complete. */
  counted_at: timestamp.nullable(),
  counts: z.object({
    accounts: count,
    /** That give access now. */
    subscriptions: count,
    /** With the status active. */
    licenses: count,
    /** Activated ones. */
    devices: count,
    /** Activated ones that were seen in the last 24 hours. */
    devices_alive: count,
    /** That are not revoked. */
    api_keys: count,
  }),
  /** 30 days in UTC, the oldest first; the last one is today. */
  days: z.array(
    z.object({
      /** `2026-11-22` */
      date: z.string(),
      /** Activated devices that were seen on that day; null for a day on which the server did not count. */
      devices_alive: count.nullable(),
      activations: count,
      sign_ins: count,
      /** Sign-ins that were refused. */
      refusals: count,
    }),
  ),
  attention: z.array(attention),
  /** When a backup was last restored and checked. */
  last_proven_restore: timestamp.nullable(),
});
export type Overview = z.infer<typeof overview>;
