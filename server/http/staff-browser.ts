/** Describes the browser that signs in to the admin page, from its request. */
import type { FastifyRequest } from 'fastify';
import type { Browser } from '../staff/staff-session.service.ts';
import { readSessionCookie } from './cookies.ts';

export function browserOf({ headers, cookies, ip: address, site }: FastifyRequest): Browser {
  const previousToken = readSessionCookie('staff', cookies, site);
  return { address, userAgent: headers['user-agent'] ?? '', ...(previousToken !== undefined && { previousToken }) };
}
