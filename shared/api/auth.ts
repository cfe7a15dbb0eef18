/** Messages of sign-in, sign-up, refresh and sign-out, `/auth/*`. */
import { z } from 'zod';
import { nameText, timestamp } from './fields.ts';

export const user = z.object({
  id: z.string().min(1),
  email: z.string(),
  full_name: z.string(),
});
export type User = z.infer<typeof user>;

/** The response of a refresh: a token set without the user. */
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

/** The server checks further rules for email and password, some of which are settings. */
export const signupRequest = z.object({
  email: z.string(),
  password: z.string(),
  full_name: nameText.default(''),
});
export type SignupRequest = z.infer<typeof signupRequest>;

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
