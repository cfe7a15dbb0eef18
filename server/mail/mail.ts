/** A mail as stored until it is sent, and as composed from its texts then. */
import { z } from 'zod';
import { staffRole } from '../../shared/api/staff-role.ts';
import { type Language, languages } from '../../shared/ipc/language.ts';

const language = z.enum(languages);
const common = { language, email: z.string() };
/** For the last mail to an address: whether it had been confirmed, which cannot be looked up later. */
const was_confirmed = z.boolean().optional();

const license = {
  license_key: z.string(),
  plan: z.string(),
  max_activations: z.number(),
  /** ISO 8601. */
  expires_at: z.string().nullable(),
  /** If the license depends on the subscription: when that ends (ISO 8601), or null if it gives no access now. */
  subscription_until: z.string().nullable().optional(),
};

/**
 * Mails in the queue. Tokens of links are created when the mail is sent, so that none is stored, except for
 * invitations.
 */
export const mail = z.discriminatedUnion('kind', [
  /** The account may not exist: that is checked only when the mail is sent, so that the response does not reveal it. */
  z.object({ kind: z.literal('reset_password'), ...common, address: z.string() }),
  /**
   * Includes the names of the passkeys that still open the admin page, if the account has any, and the API key that was
   * revoked with the old password. Without a language, it is sent in every language: staff have set the password, and
   * their language need not be the owner's.
   */
  z.object({
    kind: z.literal('password_changed'),
    ...common,
    language: language.optional(),
    passkeys: z.array(z.string()).optional(),
    key_prefix: z.string().optional(),
  }),
  z.object({ kind: z.literal('account_deleted'), ...common, was_confirmed }),
  z.object({ kind: z.literal('confirm_email'), ...common, user_id: z.string() }),
  /** Sent to the new address. Void if the password has changed since the request. */
  z.object({ kind: z.literal('change_email'), ...common, user_id: z.string(), password_changed_at_ms: z.number() }),
  /** Sent to the old address. Omits the new one if it could contain a link from a stranger, see `findNameableEmail`. */
  z.object({ kind: z.literal('email_change_requested'), ...common, new_email: z.string().optional() }),
  z.object({ kind: z.literal('email_changed'), ...common, new_email: z.string().optional(), was_confirmed }),
  z.object({ kind: z.literal('license'), ...common, ...license }),
  z.object({ kind: z.literal('license_key_replaced'), ...common, plan: z.string() }),
  /** In every language, because the buyer's is unknown. Includes a link to set a password if the account has none. */
  z.object({ kind: z.literal('purchase'), email: z.string(), user_id: z.string(), ...license }),
  /**
   * In every language, like a purchase. The token is stored here, because the link is the one that was shown to the
   * inviter.
   */
  z.object({ kind: z.literal('invitation'), email: z.string(), token: z.string() }),
  /** In every language: the key is reported by someone else, and the owner's language is unknown. */
  z.object({
    kind: z.literal('api_key_reported'),
    email: z.string(),
    key_prefix: z.string(),
    /** ISO 8601. */
    revoked_at: z.string(),
    /** Where the key was found, if the report says so. */
    place: z.string().optional(),
  }),
  /** In every language, because no request tells which one. A trial counts as a subscription too. */
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
  /** To a member of staff, in every language, because somebody else may have made the change. */
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
export type MailOf<Kind extends Mail['kind']> = Extract<Mail, { kind: Kind }>;

/** A mail as handed to the mail server. */
export type Message = { readonly to: string; readonly subject: string; readonly text: string };

/** A mail before it has a recipient. */
export type Content = Omit<Message, 'to'>;

/** Composes a mail in one language from a subject and paragraphs; an empty one is left out, as in `name && …`. */
export function compose(subject: string, ...paragraphs: readonly (string | undefined)[]): Content {
  return { subject, text: `${paragraphs.filter(Boolean).join('\n\n')}\n` };
}

/**
 * Composes a mail in all languages, one after the other, because no request tells which language the recipient speaks.
 */
export function composeInEveryLanguage(composeIn: (language: Language) => Content): Content {
  const contents = languages.map(composeIn);
  return {
    subject: contents.map(({ subject }) => subject).join(' / '),
    text: contents.map(({ text }) => text).join('\n---\n\n'),
  };
}
