/** What a server offers, so that a client hides what it does not: `/about`. */
import { z } from 'zod';

/** `open`: anybody may create an account. `invited`: accounts are created by invitation. */
export const signUpModes = ['open', 'invited'] as const;
export type SignUpMode = (typeof signUpModes)[number];

export const aboutResponse = z.object({
  sign_up: z.enum(signUpModes),
  /** Of a new password, in characters. */
  password_min_length: z.int().positive(),
  /** Whether the server sends mail: links to reset a password and to change the email address. */
  mail: z.boolean(),
  /** Whether the server signs leases. */
  leases: z.boolean(),
  /** Whether there is an account page at `/account`. */
  account_page: z.boolean(),
});
export type AboutResponse = z.infer<typeof aboutResponse>;
