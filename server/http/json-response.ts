/** Sends JSON bodies: those of endpoints past the framework, since they are the most frequent, and adds the common headers to all others. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitHeaders } from './rate-limit-headers.ts';
import { findState, stateOf } from './request-state.ts';
import { addSecurityHeaders, rawSecurityHeaders } from './security-headers.ts';

export const jsonContentType = 'application/json; charset=utf-8';

/** Makes responses that the framework sends carry the security headers and those of the rate limit. */
export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    addSecurityHeaders(reply);
    const state = findState(request);
    if (state?.limit) {
      const [policyName, policy, name, left] = limitHeaders(state.limit);
      reply.header(policyName, policy).header(name, left);
    }
    if (state?.shutdown.isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Sends a complete response at once, with all headers in one call. No `onSend` hook sees it. */
export function sendJson(request: FastifyRequest, reply: FastifyReply, status: number, body: string): void {
  const { raw } = reply.hijack();
  const { limit, shutdown } = stateOf(request);
  const headers = [...rawSecurityHeaders, 'Content-Type', jsonContentType];
  const byteCount = Buffer.byteLength(body);
  headers.push('Content-Length', String(byteCount));
  if (limit) headers.push(...limitHeaders(limit));
  if (shutdown.isStopping) headers.push('Connection', 'close');
  raw.writeHead(status, headers);
  // As many bytes as characters are ASCII, for which Node has a faster way.
  raw.end(body, byteCount === body.length ? 'latin1' : 'utf8');
}
