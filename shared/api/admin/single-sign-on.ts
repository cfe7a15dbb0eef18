/** Sign-in and confirmation through the operator's identity provider (OpenID Connect). */
import { z } from 'zod';

/** `new_window`: the page opens the provider in a separate window and stays open. */
export const singleSignOnRequest = z.object({ new_window: z.boolean().default(false) });

/** The provider's authorization endpoint. The browser must return within ten minutes. */
export const singleSignOnStart = z.object({ url: z.string() });
