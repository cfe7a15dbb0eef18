/** What a mail is about, as it is stored until it is sent. */
import { z } from 'zod';
import type { Language } from '../accept-language.ts';

const language = z.enum(['en', 'de', 'ja']) satisfies z.ZodType<Language>;
const common = { language, email: z.string() };

/** Links get their token when the mail is sent, so that no token is stored. */
export const mail = z.discriminatedUnion('kind', [
  /** There may be no such account: that is found out when the mail is sent, and the response does not tell. */
  z.object({ kind: z.literal('reset_password'), ...common, address: z.string() }),
  z.object({ kind: z.literal('password_changed'), ...common }),
  z.object({ kind: z.literal('account_deleted'), ...common }),
  z.object({ kind: z.literal('confirm_email'), ...common, user_id: z.string() }),
  /** To the new address. A password that was changed since the request voids it. */
  z.object({ kind: z.literal('change_email'), ...common, user_id: z.string(), password_changed_at_ms: z.number() }),
  /** To the old address. */
  z.object({ kind: z.literal('email_change_requested'), ...common, new_email: z.string() }),
  z.object({ kind: z.literal('email_changed'), ...common, new_email: z.string() }),
  z.object({
    kind: z.literal('license'),
    ...common,
    license_key: z.string(),
    plan: z.string(),
    max_activations: z.number(),
    /** ISO 8601. */
    expires_at: z.string().nullable(),
    /** Of a license that depends on the subscription: until when that gives access, ISO 8601; null if it gives none now. */
    subscription_until: z.string().nullable().optional(),
  }),
  /** In every language: who reports a key is not its owner, whose language nobody knows. */
  z.object({
    kind: z.literal('api_key_reported'),
    email: z.string(),
    key_prefix: z.string(),
    /** ISO 8601. */
    revoked_at: z.string(),
    /** Where it was found, if the report says so. */
    place: z.string().optional(),
  }),
]);
export type Mail = z.infer<typeof mail>;

/** What a mail server gets. */
export type Message = { readonly to: string; readonly subject: string; readonly text: string };
