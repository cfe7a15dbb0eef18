/** Describes the browser that signs in to a page of this server, from its request. */
import type { FastifyRequest } from 'fastify';
import type { Browser } from '../staff/staff-session.service.ts';
import { readSessionCookie, type SessionKind } from './cookies.ts';

export function browserOf({ headers, cookies, ip: address, site }: FastifyRequest, page: SessionKind): Browser {
  const previousToken = readSessionCookie(page, cookies, site);
  return { address, userAgent: headers['user-agent'] ?? '', ...(previousToken !== undefined && { previousToken }) };
}
