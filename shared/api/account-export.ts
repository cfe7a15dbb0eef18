/** `/auth/account/export`: the data export of an account. */
import { z } from 'zod';
import { apiKeyRecord, otherSubscription, subscriptionRecord } from './admin/accounts.ts';
import { licenseRecord } from './admin/licenses.ts';
import { session } from './auth.ts';
import { timestamp } from './fields.ts';

export const accountExport = z.object({
  exported_at: timestamp,
  account: z.object({
    id: z.string(),
    email: z.string(),
    full_name: z.string(),
    created_at: timestamp,
    password_changed_at: timestamp,
    /** null if no one has proved access to the mailbox. */
    email_confirmed_at: timestamp.nullable(),
  }),
  /** The one in effect. */
  subscription: subscriptionRecord.nullable(),
  other_subscriptions: z.array(otherSubscription),
  licenses: z.array(licenseRecord),
  /** The current key; only its prefix, since the server does not store keys. */
  api_key: apiKeyRecord.nullable(),
  sessions: z.array(session),
  /** Audit log entries about the account, newest first. */
  activity: z.array(
    z.object({
      id: z.string(),
      at: timestamp,
      /** The account's email, `staff`, or a program. */
      actor: z.string(),
      action: z.string(),
      address: z.string().nullable(),
    }),
  ),
});
export type AccountExport = z.infer<typeof accountExport>;
