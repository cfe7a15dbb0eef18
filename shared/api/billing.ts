/** Messages of the billing endpoints. */
import { z } from 'zod';
import { timestamp } from './fields.ts';

/** For the custom data of a checkout, to credit the payment to the requesting account. */
export const checkoutTokenResponse = z.object({ token: z.string(), expires_at: timestamp });
export type CheckoutTokenResponse = z.infer<typeof checkoutTokenResponse>;
