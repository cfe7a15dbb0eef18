/** Web pages that the app's publisher may declare in package.json as `latchkey.links`. */
import { z } from 'zod';

export const linkNames = ['help', 'plans', 'security', 'releases'] as const;
export type LinkName = (typeof linkNames)[number];

const page = z.url({ protocol: /^https$/ }).optional();

/** Page addresses; an unknown name or a non-https address fails the build. */
export const linkAddresses = z.strictObject({ help: page, plans: page, security: page, releases: page });
export type LinkAddresses = z.infer<typeof linkAddresses>;

/** Returns the names of the pages that have an address. */
export function declaredLinkNames(addresses: LinkAddresses): readonly LinkName[] {
  return linkNames.filter((name) => addresses[name] !== undefined);
}
