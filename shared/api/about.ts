/** `/about`: what a server offers, so that clients can hide the rest. */
import { z } from 'zod';

/** `open`: anyone may create an account. `invited`: by invitation only. */
export const signUpModes = ['open', 'invited'] as const;
export type SignUpMode = (typeof signUpModes)[number];

export const aboutResponse = z.object({
  sign_up: z.enum(signUpModes),
  /** Minimum length of a new password, in characters. */
  password_min_length: z.int().positive(),
  /** Whether the server sends mail: password-reset and email-change links. */
  mail: z.boolean(),
  /** Whether the server signs leases. */
  leases: z.boolean(),
  /** Whether the server has an account page at `/account`. */
  account_page: z.boolean(),
});
export type AboutResponse = z.infer<typeof aboutResponse>;
