/** Makes the counter that the settings ask for: in Redis where there is a URL, else in PostgreSQL, else in memory. */
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { MemoryRateCounter } from './memory-rate-counter.ts';
import { openPostgresRateStore } from './postgres-rate-store.ts';
import type { RateCounter } from './rate-counter.ts';
import type { RateStore } from './rate-store.ts';
import { createRedisRateStore } from './redis-rate-store.ts';
import { SharedRateCounter } from './shared-rate-counter.ts';

export type RateCounterParts = {
  readonly config: Pick<Config, 'databaseUrl' | 'redisUrl'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
};

export type OpenRateCounter = RateCounter & { close(): Promise<void> };

/** A Redis that cannot be reached is no reason not to start: the log says so, and counting begins in memory. */
export async function openRateCounter(parts: RateCounterParts): Promise<OpenRateCounter> {
  const { clock, logger } = parts;
  const store = await openStore(parts);
  if (!store) {
    const memory = new MemoryRateCounter(clock.monotonic);
    return { take: (key, limit) => memory.take(key, limit), close: async () => undefined };
  }
  const where = { store: store.address };
  const counter = new SharedRateCounter(store, clock.monotonic, {
    onOutage: (reason) =>
      logger.warn({ ...where, reason }, 'the shared rate counts cannot be used: counting in this process meanwhile'),
    onRecovery: () => logger.info(where, 'the shared rate counts can be used again'),
  });
  // Tells an outage now, and not when the first client comes.
  await counter.take('start', 1);
  return { take: (key, limit) => counter.take(key, limit), close: () => store.close() };
}

async function openStore({ config, database, clock }: RateCounterParts): Promise<RateStore | undefined> {
  if (config.redisUrl !== undefined) return createRedisRateStore(config.redisUrl);
  if (config.databaseUrl === undefined) return undefined;
  return openPostgresRateStore(config.databaseUrl, database, clock.monotonic);
}
