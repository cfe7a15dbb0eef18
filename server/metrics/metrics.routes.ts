/** `/metrics` for Prometheus: for clients that have the token, or, where none is set, for programs on this machine. */
import { hash, timingSafeEqual } from 'node:crypto';
import { Registry } from '@prometheus-io/client';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import { parseAddress } from '../network-address.ts';
import type { ProcessMetrics } from './metrics.service.ts';

export type MetricsRouteDeps = {
  readonly config: Pick<Config, 'metricsToken'>;
  /** The metrics of each process of the server. */
  readonly readAll: () => Promise<readonly ProcessMetrics[]>;
};

/** Not rate limited. */
export function addMetricsRoute(app: FastifyInstance, { config, readAll }: MetricsRouteDeps): void {
  app.get('/metrics', async (request, reply) => {
    if (!(config.metricsToken === undefined ? isLocal(request) : hasToken(request, config.metricsToken))) {
      throw new ApiError(
        'INVALID_TOKEN',
        'Metrics need Authorization: Bearer and the token in LATCHKEY_METRICS_TOKEN.',
      );
    }
    const registry = Registry.aggregate([...(await readAll())]);
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
}

/** The names of the headers that proxies add to requests that they pass on. */
const forwardingHeader =
  /^(?:forwarded|via|x-forwarded.*|x-original-.*|x-envoy-.*|cf-.*|.*-(?:client|real)-ip|x-cluster-client-ip)$/i;

/**
 * Whether a program on this machine sent the request itself: the connection comes from here, no proxy passed it on, and it
 * asks for a name of this machine, which a page elsewhere that had its own name lead here (DNS rebinding) would not.
 */
function isLocal({ hostname, raw: { socket, rawHeaders, httpVersion } }: FastifyRequest): boolean {
  // As they arrived: what a trusted proxy says about the client has been taken out of the others.
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  // HTTP/1.0 is what nginx speaks by default, and no client of today.
  const isForwarded = httpVersion === '1.0' || names.some((name) => forwardingHeader.test(name));
  return !isForwarded && parseAddress(socket.remoteAddress)?.range() === 'loopback' && isLoopback(hostname);
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (sent === undefined) return false;
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(sent), digest(token));
}
