/** The pages that whoever ships the app may name, in package.json as `latchkey.links`. */
import { z } from 'zod';

export const linkNames = ['help', 'plans', 'security'] as const;
export type LinkName = (typeof linkNames)[number];

const page = z.url({ protocol: /^https$/ }).optional();

/** Each page's address; what is not https, or has another name, is a mistake that ends the build. */
export const linkAddresses = z.strictObject({ help: page, plans: page, security: page });
export type LinkAddresses = z.infer<typeof linkAddresses>;
