/** What a mail is about, as it is stored until it is sent. */
import { z } from 'zod';
import { staffRole } from '../../shared/api/staff-role.ts';
import type { Language } from '../accept-language.ts';

const language = z.enum(['en', 'de', 'ja']) satisfies z.ZodType<Language>;
const common = { language, email: z.string() };
/** Of the last mail to an address: whether somebody had confirmed it, which nobody can look up later. */
const was_confirmed = z.boolean().optional();

const license = {
  license_key: z.string(),
  plan: z.string(),
  max_activations: z.number(),
  /** ISO 8601. */
  expires_at: z.string().nullable(),
  /** Of a license that depends on the subscription: until when that gives access, ISO 8601; null if it gives none now. */
  subscription_until: z.string().nullable().optional(),
};

/** Links get their token when the mail is sent, so that no token is stored; but for invitations. */
export const mail = z.discriminatedUnion('kind', [
  /** There may be no such account: that is found out when the mail is sent, and the response does not tell. */
  z.object({ kind: z.literal('reset_password'), ...common, address: z.string() }),
  /** With the names of the passkeys that still open the admin page, if the account has any. */
  z.object({ kind: z.literal('password_changed'), ...common, passkeys: z.array(z.string()).optional() }),
  z.object({ kind: z.literal('account_deleted'), ...common, was_confirmed }),
  z.object({ kind: z.literal('confirm_email'), ...common, user_id: z.string() }),
  /** To the new address. A password that was changed since the request voids it. */
  z.object({ kind: z.literal('change_email'), ...common, user_id: z.string(), password_changed_at_ms: z.number() }),
  /** To the old address. Without the new one where that could be a link that a stranger sends, see `findNameableEmail`. */
  z.object({ kind: z.literal('email_change_requested'), ...common, new_email: z.string().optional() }),
  z.object({ kind: z.literal('email_changed'), ...common, new_email: z.string().optional(), was_confirmed }),
  z.object({ kind: z.literal('license'), ...common, ...license }),
  z.object({ kind: z.literal('license_key_replaced'), ...common, plan: z.string() }),
  /** In every language, because that of the buyer is not known. With a link to set a password, for an account that has none. */
  z.object({ kind: z.literal('purchase'), email: z.string(), user_id: z.string(), ...license }),
  /** In every language, as a purchase. The link is the one that was shown to who invites, so its token is stored here. */
  z.object({ kind: z.literal('invitation'), email: z.string(), token: z.string() }),
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
  /** In every language: no request caused it. A trial is a subscription too. */
  z.object({
    kind: z.literal('reminder'),
    email: z.string(),
    plan: z.string(),
    /** ISO 8601. */
    ends_at: z.string(),
    ending: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('license'), key_preview: z.string() }),
      z.object({ kind: z.literal('subscription') }),
      z.object({ kind: z.literal('trial') }),
    ]),
  }),
  /** To a member of staff, in every language: who made the change is not the member, or should not be. */
  z.object({
    kind: z.literal('staff_changed'),
    email: z.string(),
    change: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('passkey_added'), name: z.string() }),
      z.object({ kind: z.literal('link_created') }),
      z.object({ kind: z.literal('password_set') }),
      z.object({ kind: z.literal('role_set'), role: staffRole }),
      z.object({ kind: z.literal('removed') }),
    ]),
  }),
]);
export type Mail = z.infer<typeof mail>;

/** What a mail server gets. */
export type Message = { readonly to: string; readonly subject: string; readonly text: string };
