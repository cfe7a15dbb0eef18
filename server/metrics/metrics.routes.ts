/** `/metrics` for Prometheus: for callers on this machine, and for others with a token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { parseAddress } from '../http/network-address.ts';
import type { Metric } from './metric.ts';

export type MetricsRouteDeps = {
  readonly config: Pick<Config, 'metricsToken' | 'trustProxy'>;
  /** The metrics of each process of the server. */
  readonly readAll: () => Promise<readonly Metric[][]>;
};

/** Not rate limited. */
export function addMetricsRoute(app: FastifyInstance, { config, readAll }: MetricsRouteDeps): void {
  app.get('/metrics', async (request, reply) => {
    if (!isLocal(request, config) && !hasToken(request, config.metricsToken)) {
      throw new ApiError(
        'INVALID_TOKEN',
        'Metrics need Authorization: Bearer and the token in LATCHKEY_METRICS_TOKEN.',
      );
    }
    const { AggregatorRegistry } = await import('prom-client');
    const registry = AggregatorRegistry.aggregate((await readAll()) as unknown as object[]);
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
}

/** A request that a proxy forwarded is local only if the proxy is trusted and says so. */
function isLocal({ ip, headers }: FastifyRequest, { trustProxy }: MetricsRouteDeps['config']): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  if (isForwarded && trustProxy === undefined) return false;
  return parseAddress(ip)?.range() === 'loopback';
}

function hasToken({ headers }: FastifyRequest, token: string | undefined): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined || sent === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(token));
}
