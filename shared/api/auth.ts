/** Messages of sign-in, sign-up, refresh and sign-out (interface §4 `/auth/*`). */
import { z } from 'zod';
import { nameText, timestamp } from './fields.ts';

export const user = z.object({
  id: z.string().min(1),
  email: z.string(),
  full_name: z.string(),
});
export type User = z.infer<typeof user>;

/** A refresh answer: a token set without the user. */
export const refreshedTokens = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_at: timestamp,
});
export type RefreshedTokens = z.infer<typeof refreshedTokens>;

/** A token set as sign-in and sign-up return it. */
export const tokenSet = refreshedTokens.extend({ user });
export type TokenSet = z.infer<typeof tokenSet>;

export const loginRequest = z.object({
  email: z.string(),
  password: z.string(),
});
export type LoginRequest = z.infer<typeof loginRequest>;

/** Bounds beyond the types (decisions "Accounts") are judged by the server, which knows its settings. */
export const signupRequest = z.object({
  email: z.string(),
  password: z.string(),
  full_name: nameText.default(''),
});
export type SignupRequest = z.infer<typeof signupRequest>;

export const refreshRequest = z.object({ refresh_token: z.string() });
export type RefreshRequest = z.infer<typeof refreshRequest>;

/**
 * Sign-out, an extension in the manner of RFC 7009: the refresh token is the proof, an unknown one is no error.
 * `all_devices` ends every session of the account and wants a current refresh token.
 */
export const logoutRequest = z.object({
  refresh_token: z.string(),
  all_devices: z.boolean().default(false),
});
export type LogoutRequest = z.infer<typeof logoutRequest>;

export const logoutResponse = z.object({ success: z.literal(true) });
