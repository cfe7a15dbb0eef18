/** `/auth/account/export`: what users take away of their account. */
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
    /** null if nobody has proved to read mail to the address. */
    email_confirmed_at: timestamp.nullable(),
  }),
  /** The one that counts. */
  subscription: subscriptionRecord.nullable(),
  other_subscriptions: z.array(otherSubscription),
  licenses: z.array(licenseRecord),
  /** The current one; its prefix, since the server does not have the key. */
  api_key: apiKeyRecord.nullable(),
  sessions: z.array(session),
  /** What is in the audit log about the account, newest first. */
  activity: z.array(
    z.object({
      id: z.string(),
      at: timestamp,
      /** The email of the account, `staff`, or a program. */
      actor: z.string(),
      action: z.string(),
      address: z.string().nullable(),
    }),
  ),
});
export type AccountExport = z.infer<typeof accountExport>;
