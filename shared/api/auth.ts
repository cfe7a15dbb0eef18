/** Messages of sign-in, sign-up, refresh and sign-out, `/auth/*`. */
import { z } from 'zod';
import { nameText, timestamp } from './fields.ts';

export const user = z.object({
  id: z.string().min(1),
  email: z.string(),
  full_name: z.string(),
});
export type User = z.infer<typeof user>;

/** Response to a refresh: a token set without the user. */
export const refreshedTokens = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_at: timestamp,
});
export type RefreshedTokens = z.infer<typeof refreshedTokens>;

/** Token set returned by sign-in and sign-up. */
export const tokenSet = refreshedTokens.extend({ user });
export type TokenSet = z.infer<typeof tokenSet>;

export const loginRequest = z.object({
  email: z.string(),
  password: z.string(),
});
export type LoginRequest = z.infer<typeof loginRequest>;

/** The server applies further rules to email and password, some of them configurable. */
export const signupRequest = z.object({
  email: z.string(),
  password: z.string(),
  full_name: nameText.default(''),
});
export type SignupRequest = z.infer<typeof signupRequest>;

/** The user signed in to the account page. */
export const accountSession = z.object({ user });

export const accountSignOutRequest = z.object({ all_devices: z.boolean() });

export const refreshRequest = z.object({ refresh_token: z.string() });

/**
 * Sign-out, modelled on RFC 7009: the refresh token authenticates the request, and an unknown one is not an error.
 * `all_devices` ends every session of the user and requires a current refresh token.
 */
export const logoutRequest = z.object({
  refresh_token: z.string(),
  all_devices: z.boolean().default(false),
});

export const logoutResponse = z.object({ success: z.literal(true) });

/**
 * Ends every other session of the account. The session of `refresh_token`, if given, is kept: a refresh gets it a valid
 * access token.
 */
export const changePasswordRequest = z.object({
  current_password: z.string(),
  new_password: z.string(),
  refresh_token: z.string().optional(),
});
export type ChangePasswordRequest = z.infer<typeof changePasswordRequest>;

export const session = z.object({
  session_id: z.string(),
  created_at: timestamp,
  last_used_at: timestamp,
  /** User agent of the client that signed in. */
  user_agent: z.string(),
  /** True for the session that made this request. */
  current: z.boolean(),
});
export type Session = z.infer<typeof session>;

export const sessionsResponse = z.object({ sessions: z.array(session) });

/** Response with nothing to report but success. */
export const successResponse = z.object({ success: z.literal(true) });

export const forgotPasswordRequest = z.object({ email: z.string() });

/** `token` is the part after `#token=` in the mailed link. */
export const resetPasswordRequest = z.object({ token: z.string(), new_password: z.string() });

export const deleteAccountRequest = z.object({ password: z.string() });

export const changeEmailRequest = z.object({ email: z.string(), password: z.string() });

/** `token` is the part after `#token=` in the mailed link. */
export const confirmEmailRequest = z.object({ token: z.string() });

/** The confirmed address. */
export const confirmEmailResponse = successResponse.extend({ email: z.string() });

/** Extension: the account's email address; `confirmation_needed` if the user has yet to confirm it. */
export const emailStatusResponse = z.object({ email: z.string(), confirmation_needed: z.boolean() });
export type EmailStatusResponse = z.infer<typeof emailStatusResponse>;
