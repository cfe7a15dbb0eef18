/** Sends the JSON responses of endpoints directly through Node, which is faster, and adds the common headers to all others. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitHeaders } from './rate-limit-headers.ts';
import { requestIdHeader } from './request-id.ts';
import { findState, stateOf } from './request-state.ts';
import { addSecurityHeaders, rawSecurityHeaders } from './security-headers.ts';

export const jsonContentType = 'application/json; charset=utf-8';

/** Adds the security headers, the request's id and those of the rate limit to responses that Fastify sends. */
export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    addSecurityHeaders(reply);
    reply.header(requestIdHeader, request.id);
    const state = findState(request);
    if (state?.limit) {
      const [policyName, policy, name, left] = limitHeaders(state.limit);
      reply.header(policyName, policy).header(name, left);
    }
    if (state?.shutdown.isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Sends a complete response without Fastify, so `onSend` hooks do not run. */
export function sendJson(request: FastifyRequest, reply: FastifyReply, status: number, body: string): void {
  send(request, reply, { status, body });
}

/** The same; `cookie` is the value of Set-Cookie. */
export function sendJsonWithCookie(request: FastifyRequest, reply: FastifyReply, response: CookieResponse): void {
  send(request, reply, response);
}

type CookieResponse = { readonly status: number; readonly body: string; readonly cookie: string };
type Response = Omit<CookieResponse, 'cookie'> & Partial<Pick<CookieResponse, 'cookie'>>;

function send(request: FastifyRequest, reply: FastifyReply, { status, body, cookie }: Response): void {
  const { raw } = reply.hijack();
  const { limit, shutdown } = stateOf(request);
  const headers = [...rawSecurityHeaders, 'X-Request-Id', request.id, 'Content-Type', jsonContentType];
  const byteCount = Buffer.byteLength(body);
  headers.push('Content-Length', String(byteCount));
  if (limit) headers.push(...limitHeaders(limit));
  if (cookie !== undefined) headers.push('Set-Cookie', cookie);
  if (shutdown.isStopping) headers.push('Connection', 'close');
  raw.writeHead(status, headers);
  // A body with as many bytes as characters is ASCII, which Node writes faster as Latin-1.
  raw.end(body, byteCount === body.length ? 'latin1' : 'utf8');
}
