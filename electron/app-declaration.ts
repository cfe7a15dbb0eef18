/** What the app's publisher declares as `latchkey` in package.json. The build inserts it into the main bundle. */
import { z } from 'zod';
import { linkAddresses } from '../shared/ipc/links.ts';
import { publicJwk } from '../shared/jws.ts';
import { leaseJwk } from '../shared/lease.ts';
import { normalizeServerAddress } from './licensing/server-address.ts';

const serverAddress = z.string().transform((text, context) => {
  const address = normalizeServerAddress(text);
  if (address?.startsWith('https://')) return address;
  context.addIssue({ code: 'custom', message: 'must be an https address, such as https://licenses.example.com' });
  return z.NEVER;
});

/** Schemes that belong to browsers and systems, which an app must not take over. */
const takenSchemes = ['about', 'app', 'blob', 'chrome', 'data', 'file', 'ftp', 'http', 'https', 'javascript', 'mailto'];

const linkScheme = z
  .string()
  .regex(/^[a-z][a-z0-9+.-]{1,39}$/, 'must be of a-z, 0-9, +, . and -, and begin with a letter, such as my-app')
  .refine((scheme) => !takenSchemes.includes(scheme), 'is the scheme of something else: choose a name of your own')
  .default('latchkey');

const appDeclaration = z.strictObject({
  /** Address of the license server, until the user chooses another. A packaged app without one asks for it. */
  server: serverAddress.optional(),
  links: linkAddresses.default({}),
  /** Public keys of the server's leases. With them, nothing is on without a lease signed by one of them. */
  leaseKeys: z.array(leaseJwk).default([]),
  /** Public keys with which the publisher signs updates. Without them the app installs none. */
  updateKeys: z.array(publicJwk).default([]),
  /** Scheme of the links that the app opens, such as `latchkey://activate?key=…`. */
  scheme: linkScheme,
});
export type AppDeclaration = z.infer<typeof appDeclaration>;

/** Returns what the text of a package.json declares. Throws one sentence for each invalid field. */
export function readAppDeclaration(packageJson: string): AppDeclaration {
  const parsed = appDeclaration.safeParse(JSON.parse(packageJson).latchkey ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${['latchkey', ...path].join('.')}: ${message}`);
  throw new Error(`package.json is ill-formed. ${problems.join('. ')}.`);
}
