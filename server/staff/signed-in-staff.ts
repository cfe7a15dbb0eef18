/** The member of staff who sent a request, and where the browser of the request found the admin page. */
import { isIP } from 'node:net';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { AuditContext } from '../audit/audit-event.ts';

export type SignedInStaff = {
  readonly id: string;
  readonly email: string;
  readonly role: StaffRole;
  readonly sessionId: string;
  /** Whether the member has lately given a password or passkey. */
  readonly isConfirmed: boolean;
};

/** The context of a request that a member of staff sent. */
export function byStaff({ id, email }: Pick<SignedInStaff, 'id' | 'email'>, address: string): AuditContext {
  return { actor: { kind: 'staff', id, email }, address };
}

/** The address of the pages, as browsers see it. */
export type Site = {
  /** `https://licenses.example.com` */
  readonly origin: string;
  readonly hostname: string;
  /** `/latchkey`, or an empty text. What follows the origin in every address of the pages. */
  readonly basePath: string;
  /** Whether LATCHKEY_PUBLIC_URL says so, rather than the request. */
  readonly isConfigured: boolean;
  /** Whether the connection of the browser is encrypted, by us or by a trusted proxy. */
  readonly isSecure: boolean;
};

/** `https://example.com/latchkey`: what the addresses of all pages begin with. */
export function urlOf({ origin, basePath }: Pick<Site, 'origin' | 'basePath'>): string {
  return `${origin}${basePath}`;
}

/** Whether browsers offer passkeys at this address: it must have a name, and be encrypted unless it is this machine. */
export function allowsPasskeys({ origin, hostname }: Site): boolean {
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isLocal || (origin.startsWith('https:') && isIP(hostname.replace(/^\[|\]$/g, '')) === 0);
}
