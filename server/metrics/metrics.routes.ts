/** `/metrics` for Prometheus: for clients that have the token or, if none is set, for programs on this machine. */
import { hash, timingSafeEqual } from 'node:crypto';
import { Registry } from '@prometheus-io/client';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import { parseAddress } from '../network-address.ts';
import type { Config } from '../settings/config.ts';
import type { ProcessMetrics } from './metrics.service.ts';

type MetricsRouteDeps = {
  readonly config: Pick<Config, 'metricsToken'>;
  /** Returns the metrics of each process of the server. */
  readonly readAll: () => Promise<readonly ProcessMetrics[]>;
};

/** Adds the route, which is not rate limited. */
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

/** Names of headers that proxies add to the requests that they pass on. */
const forwardingHeader =
  /^(?:forwarded|via|x-forwarded.*|x-original-.*|x-envoy-.*|cf-.*|.*-(?:client|real)-ip|x-cluster-client-ip)$/i;

/**
 * Returns true if a program on this machine sent the request itself: the connection comes from here, no proxy passed it
 * on, and it asks for a name of this machine. The last check rejects a web page elsewhere whose own host name resolves
 * to this machine (DNS rebinding).
 */
function isLocal({ hostname, raw: { socket, rawHeaders, httpVersion } }: FastifyRequest): boolean {
  // The headers as they arrived: the server removes from `headers` what a trusted proxy says about the client.
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  // nginx uses HTTP/1.0 by default, and no current client does.
  const isForwarded = httpVersion === '1.0' || names.some((name) => forwardingHeader.test(name));
  return !isForwarded && parseAddress(socket.remoteAddress)?.range() === 'loopback' && isLoopback(hostname);
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (sent === undefined) return false;
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(sent), digest(token));
}
