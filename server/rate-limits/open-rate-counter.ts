/**
 * Opens the rate counter: in Redis or PostgreSQL if configured, otherwise in memory (with
 * workers, that of the primary).
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Config } from '../settings/config.ts';
import { MemoryRateCounter } from './memory-rate-counter.ts';
import type { RateCounter, RateStore } from './rate-counter.ts';
import { SharedRateCounter } from './shared-rate-counter.ts';

type RateCounterDeps = {
  readonly config: Pick<Config, 'databaseUrl' | 'redisUrl'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** Shared store for workers without Redis or PostgreSQL. */
  readonly rateStore?: RateStore;
};

/** Opens the rate counter. If Redis cannot be reached, logs that and starts counting in memory. */
export async function openRateCounter(deps: RateCounterDeps): Promise<RateCounter> {
  const { clock, logger } = deps;
  const store = await openStore(deps);
  if (!store) return new MemoryRateCounter({ clock });
  const fields = { store: store.address };
  const counter = new SharedRateCounter({
    store,
    clock,
    onOutage: (reason) =>
      logger.warn({ ...fields, reason }, 'the shared rate limit store cannot be used: counting in this process'),
    onRecovery: () => logger.info(fields, 'the shared rate limit store can be used again'),
  });
  // Reports an outage at startup instead of on the first request.
  await counter.take('start', 1);
  return counter;
}

async function openStore({ config, database, clock, rateStore }: RateCounterDeps): Promise<RateStore | undefined> {
  if (config.redisUrl !== undefined) {
    const { RedisRateStore } = await import('./redis-rate-store.ts');
    return new RedisRateStore(config.redisUrl);
  }
  if (config.databaseUrl === undefined) return rateStore;
  const { openPostgresRateStore } = await import('./postgres-rate-store.ts');
  return openPostgresRateStore({ url: config.databaseUrl, database, clock });
}
