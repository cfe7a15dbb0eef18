/** Signing in and confirming by the identity provider of the operator (OpenID Connect). */
import { z } from 'zod';

/** `new_window`: the page opens the provider in a window of its own, and stays as it is. */
export const singleSignOnRequest = z.object({ new_window: z.boolean().default(false) });

/** Where the browser is to go: the authorization endpoint of the provider. It is to return within ten minutes. */
export const singleSignOnStart = z.object({ url: z.string() });
