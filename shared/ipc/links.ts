/** The web pages that the publisher of the app may declare in package.json, as `latchkey.links`. */
import { z } from 'zod';

export const linkNames = ['help', 'plans', 'security'] as const;
export type LinkName = (typeof linkNames)[number];

const page = z.url({ protocol: /^https$/ }).optional();

/** The address of each page; another name, or an address that is not https, fails the build. */
export const linkAddresses = z.strictObject({ help: page, plans: page, security: page });
export type LinkAddresses = z.infer<typeof linkAddresses>;

/** The names of the pages that have an address. */
export function declaredLinkNames(addresses: LinkAddresses): readonly LinkName[] {
  return linkNames.filter((name) => addresses[name] !== undefined);
}
