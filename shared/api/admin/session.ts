/** Staff sign-in, sessions and passkeys. The session itself is a cookie that scripts cannot read. */
import { z } from 'zod';
import { toPrintable } from '../../formats/printable.ts';
import { languages } from '../../ipc/language.ts';
import { timestamp } from '../fields.ts';
import { staffRole } from '../staff-role.ts';
import { plainText } from './fields.ts';

/** The session of the requesting browser. */
export const staffSession = z.object({
  staff: z.object({ id: z.string(), email: z.string(), full_name: z.string(), role: staffRole }),
  /** Number of the member's passkeys; if 0, the page offers to add one. */
  passkeys: z.int().nonnegative(),
  /** Whether passkeys work at this address: they need a domain name or localhost. */
  can_use_passkeys: z.boolean(),
  /** Whether the account has a password; one created by `staff add` has none until its link is used. */
  has_password: z.boolean(),
  /** Until then, endpoints that require confirmation need none; null if they do. */
  confirmed_until: timestamp.nullable(),
  /** Latest end of the session; it also ends after 30 minutes without a request. */
  expires_at: timestamp,
});
export type StaffSession = z.infer<typeof staffSession>;

export const staffSignInRequest = z.object({ email: z.string(), password: z.string() });
export const staffConfirmRequest = z.object({ password: z.string() });

/** Sign-in options. */
export const staffSignInOptions = z.object({
  /** Whether a forgotten password can be reset by mail. */
  can_reset_password: z.boolean(),
  /** Minimum length of a new password, in characters. */
  password_min_length: z.int().positive(),
  /** Whether staff can sign in through the operator's identity provider. */
  single_sign_on: z.boolean(),
});

/** `language` is that of the mail, here and below. */
export const forgotStaffPasswordRequest = z.object({ email: z.string(), language: z.enum(languages).default('en') });
export const changeStaffPasswordRequest = z.object({
  current_password: z.string(),
  new_password: z.string(),
  language: z.enum(languages).default('en'),
});

/** Purpose of a one-time link. `email` is null for the first administrator, who chooses one. */
export const welcomeRequest = z.object({ token: z.string() });
export const welcome = z.object({
  kind: z.enum(['first_admin', 'set_password']),
  email: z.string().nullable(),
  expires_at: timestamp,
});

/**
 * Redeems a one-time link. `set_password` ignores `email` and sets the password of its account. For the first
 * administrator `email` is required: an account is created, or an existing one becomes staff if `password` is correct.
 */
export const redeemWelcomeRequest = z.object({
  token: z.string(),
  email: z.string().optional(),
  password: z.string(),
});

export const staffSessions = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      created_at: timestamp,
      last_used_at: timestamp,
      expires_at: timestamp,
      address: z.string(),
      user_agent: z.string(),
      /** True for the session that made this request. */
      current: z.boolean(),
    }),
  ),
});

/** Options for `optionsJSON` of `@simplewebauthn/browser`, valid for five minutes. */
export const passkeyOptions = z.object({ options: z.record(z.string(), z.unknown()) });

const base64url = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[\w-]+$/, 'must be base64url');

const credential = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().optional(),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
};

/** Result of `startAuthentication` of `@simplewebauthn/browser`. */
export const passkeySignInRequest = z.object({
  credential: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: z.string().nullish(),
    }),
  }),
});

/**
 * Result of `startRegistration` of `@simplewebauthn/browser`, and a name for the passkey. Warning mails contain the
 * name, so it must not add lines to them.
 */
export const addPasskeyRequest = z.object({
  name: plainText
    .max(100, 'must have at most 100 characters')
    .refine((text) => toPrintable(text) === text, 'must be one line without control characters')
    .default(''),
  credential: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url,
      attestationObject: z
        .string()
        .min(1)
        .max(50_000)
        .regex(/^[\w-]+$/, 'must be base64url'),
      transports: z.array(z.string().max(30)).max(10).default([]),
    }),
  }),
});

export const passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});
export const passkeys = z.object({ passkeys: z.array(passkey) });

/**
 * Sign-in or confirmation through the operator's identity provider (OpenID Connect). `new_window`: the page opens the
 * provider in a separate window and stays open.
 */
export const singleSignOnRequest = z.object({ new_window: z.boolean().default(false) });

/** The provider's authorization endpoint. The browser must return within ten minutes. */
export const singleSignOnStart = z.object({ url: z.string() });
