/** Messages of the endpoints around payments. */
import { z } from 'zod';
import { timestamp } from './fields.ts';

/** For the custom data of a checkout, so that its payment counts for the account that asked. */
export const checkoutTokenResponse = z.object({ token: z.string(), expires_at: timestamp });
export type CheckoutTokenResponse = z.infer<typeof checkoutTokenResponse>;
