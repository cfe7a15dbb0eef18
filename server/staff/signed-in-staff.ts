/** The staff member who sent a request, and the site address that their browser used. */
import { isIP } from 'node:net';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { AuditContext } from '../audit/audit-event.ts';

export type SignedInStaff = {
  readonly id: string;
  readonly email: string;
  readonly role: StaffRole;
  readonly sessionId: string;
  /** True if the member has recently given a password or passkey. */
  readonly isConfirmed: boolean;
};

/** Returns the audit context of a request sent by a staff member. */
export function byStaff({ id, email }: Pick<SignedInStaff, 'id' | 'email'>, address: string): AuditContext {
  return { actor: { kind: 'staff', id, email }, address };
}

/** Address of the pages, as browsers see it. */
export type Site = {
  /** For example `https://licenses.example.com`. */
  readonly origin: string;
  readonly hostname: string;
  /** Path after the origin in the address of every page, such as `/latchkey`; may be empty. */
  readonly basePath: string;
  /** True if the address comes from LATCHKEY_PUBLIC_URL, false if it comes from the request. */
  readonly isConfigured: boolean;
  /** True if the browser's connection is encrypted, by this server or by a trusted proxy. */
  readonly isSecure: boolean;
};

/** Returns the common prefix of all page addresses, such as `https://example.com/latchkey`. */
export function urlOf({ origin, basePath }: Pick<Site, 'origin' | 'basePath'>): string {
  return `${origin}${basePath}`;
}

/** Returns true if browsers allow passkeys at this address: a host name with HTTPS, or this machine. */
export function allowsPasskeys({ origin, hostname }: Site): boolean {
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isLocal || (origin.startsWith('https:') && isIP(hostname.replace(/^\[|\]$/g, '')) === 0);
}
