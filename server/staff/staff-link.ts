/** One-time links with which staff choose a password, including the link for the first administrator. */
import { basePathOf } from '../base-path.ts';
import { type Clock, dayMs } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { StartError } from '../errors.ts';
import type { Random } from '../random.ts';
import { hashSecretToken, newSecretToken } from '../secret-token.ts';
import type { Config } from '../settings/config.ts';
import { hasStaff, replaceLink, type StaffLinkRow } from './staff.repository.ts';

/** A new link. The database stores only the hash of its token. */
export type CreatedLink = { readonly token: string; readonly expiresAtMs: number };

type LinkDeps = { readonly clock: Clock; readonly random: Random };

const linkTtlMs = dayMs;

/** Creates a link and its row; `userId` null means the first administrator. */
export function newLink(userId: string | null, { clock, random }: LinkDeps): { link: CreatedLink; row: StaffLinkRow } {
  const token = newSecretToken(random);
  const createdAtMs = clock.now();
  const expiresAtMs = createdAtMs + linkTtlMs;
  const times = { created_at_ms: createdAtMs, expires_at_ms: expiresAtMs };
  const row = { token_hash: hashSecretToken(token), user_id: userId, created_by: null, ...times };
  return { link: { token, expiresAtMs }, row };
}

/**
 * Creates the link for the first administrator, which replaces an earlier one; returns `undefined` if there is any
 * staff.
 */
export async function createFirstLink(
  deps: LinkDeps & { readonly database: Database },
): Promise<CreatedLink | undefined> {
  const { database } = deps;
  if (await hasStaff(database.read)) return undefined;
  const { link, row } = newLink(null, deps);
  return database.write(async (transaction) => {
    await lockByName(transaction, 'staff');
    if (await hasStaff(transaction)) return undefined;
    await replaceLink(transaction, row);
    return link;
  });
}

/** Returns the URL of a link. Browsers do not send what follows #, so the token does not get into any server log. */
export function formatWelcomeUrl(siteUrl: string, token: string): string {
  return `${siteUrl}/admin#/welcome?token=${token}`;
}

/**
 * Returns the beginning of all page addresses of a server that listens on this port. Throws `StartError` for port 0
 * without a public URL.
 */
export function findSiteUrl(
  { publicUrl, host, tls }: Pick<Config, 'publicUrl' | 'host' | 'tls'>,
  port: number,
): string {
  if (publicUrl) return `${publicUrl.origin}${basePathOf(publicUrl)}`;
  if (port === 0) {
    throw new StartError(
      'the address of the admin page is not known while LATCHKEY_PORT is 0: set LATCHKEY_PUBLIC_URL to it, or LATCHKEY_PORT to the port of the server',
    );
  }
  // Browsers support passkeys for localhost, but not for an IP address.
  const name = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `${tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
