/** Describes the browser that signs in to the admin page, from its request. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Site } from '../staff/signed-in-staff.ts';
import type { Browser } from '../staff/staff-session.service.ts';
import { readSessionCookie } from './cookies.ts';

type SignInRequest = {
  readonly headers: IncomingHttpHeaders;
  readonly cookies: FastifyRequest['cookies'];
  readonly address: string;
  readonly site: Site;
};

export function browserOf({ headers, cookies, address, site }: SignInRequest): Browser {
  const previousToken = readSessionCookie('staff', cookies, site);
  return { address, userAgent: headers['user-agent'] ?? '', ...(previousToken !== undefined && { previousToken }) };
}
