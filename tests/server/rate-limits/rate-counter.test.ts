/** Counting in memory and in shared stores: the same windows everywhere, and an outage rejects nobody. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deadline, runWithDeadline } from '../../../server/deadline.ts';
import { MemoryRateCounter } from '../../../server/rate-limits/memory-rate-counter.ts';
import type { RateCounter } from '../../../server/rate-limits/rate-counter.ts';
import { createFakeClock, minute, second } from '../../harness/fake-clock.ts';
import { query } from '../../harness/postgres.ts';
import { createPostgresKind, createRedisKind, memory, type TestCounter } from './counter-kinds.ts';

const postgres = createPostgresKind();
const redis = createRedisKind();

const takeMany = async (count: number, take: () => ReturnType<RateCounter['take']>) => {
  const decisions = [];
  for (let index = 0; index < count; index++) decisions.push(await take());
  return decisions;
};
const countAllowed = (decisions: { allowed: boolean }[]) => decisions.filter(({ allowed }) => allowed).length;

/** Lets this process read from its connections that the other ends, which it has too, were closed. */
async function noticeInThisProcess(): Promise<void> {
  for (let turns = 0; turns < 10; turns++) await turn();
}

/**
 * Starts measuring, and returns the values that `resetSeconds` can have after the given seconds: in a store, real time
 * passes too.
 */
const startReset = () => {
  const startedMs = performance.now();
  return (passedSeconds: number) => {
    const most = Math.ceil(60 - passedSeconds);
    const least = Math.ceil(60 - passedSeconds - (performance.now() - startedMs) / second);
    return Array.from({ length: most - least + 1 }, (_, index) => least + index);
  };
};

describe.each([memory, postgres, redis])('counting in $name', (kind) => {
  describe.skipIf(!kind.isInstalled)('if installed', () => {
    beforeAll(() => kind.setUp());
    afterAll(() => kind.tearDown());

    it.each([1, 2, 30, 120])('allows %i requests in a window, and says how many are left', async (limit) => {
      const { counter } = await kind.open();
      const resetAfter = startReset();
      for (let left = limit - 1; left >= 0; left--) {
        const decision = await counter.take('a', limit);
        expect(decision).toMatchObject({ allowed: true, limit, remaining: left });
        expect(resetAfter(0)).toContain(decision.resetSeconds);
      }
      expect(await counter.take('a', limit)).toMatchObject({ allowed: false, limit, remaining: 0 });
    });

    it('starts a window with the first request, and never moves its end', async () => {
      const { counter, advance } = await kind.open();
      const resetAfter = startReset();
      expect(await counter.take('a', 3)).toMatchObject({ remaining: 2, resetSeconds: 60 });
      await advance(40.5 * second);
      const { remaining, resetSeconds } = await counter.take('a', 3);
      expect(remaining).toBe(1);
      expect(resetAfter(40.5)).toContain(resetSeconds);
      await takeMany(5, () => counter.take('a', 3));
      await advance(19.5 * second);
      expect(await counter.take('a', 3)).toMatchObject({ allowed: true, remaining: 2, resetSeconds: 60 });
    });

    it('allows a client that waits as long as told, and not much earlier', async () => {
      const { counter, advance } = await kind.open();
      const resetAfter = startReset();
      await counter.take('a', 2);
      await advance(10.5 * second);
      await counter.take('a', 2);
      const { allowed, resetSeconds } = await counter.take('a', 2);
      expect(allowed).toBe(false);
      expect(resetAfter(10.5)).toContain(resetSeconds);
      await advance((resetSeconds - 2) * second);
      expect(await counter.take('a', 2)).toMatchObject({ allowed: false, resetSeconds: 2 });
      await advance(2 * second);
      expect(await counter.take('a', 2)).toMatchObject({ allowed: true, remaining: 1 });
    });

    it('counts clients separately, whatever their names', async () => {
      const { counter } = await kind.open();
      const names = ['a', 'A', 'a ', "a'--", 'a"', 'ä', '*', '{a}', 'a'.repeat(200)];
      for (const name of names) expect(countAllowed(await takeMany(3, () => counter.take(name, 2)))).toBe(2);
    });

    it('allows exactly the limit of simultaneous requests across two processes', async () => {
      const { counter, other } = await kind.open();
      const decisions = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => (index % 2 ? counter : other).take('a', 30)),
      );
      expect(countAllowed(decisions)).toBe(30);
    });

    it('allows exactly the limit even if the process is too busy to read responses in time', async () => {
      const { counter, log } = await kind.open();
      await counter.take('before', 5);
      const decisions = Array.from({ length: 50 }, async () => counter.take('a', 5));
      await turn();
      const untilMs = performance.now() + 1.5 * second;
      while (performance.now() < untilMs);
      expect(countAllowed(await Promise.all(decisions))).toBe(5);
      expect(log).toEqual([]);
    });

    it('does not count rejected requests: a process with a higher limit allows the rest', async () => {
      const { counter, other } = await kind.open();
      await takeMany(10, () => counter.take('a', 2));
      expect(await other.take('a', 5)).toMatchObject({ allowed: true, remaining: 2 });
    });
  });
});

describe.each([postgres, redis])('when $name cannot be reached', (kind) => {
  describe.skipIf(!kind.isInstalled)('if installed', () => {
    beforeAll(() => kind.setUp());
    afterAll(() => kind.tearDown());

    const messagesOf = ({ log }: TestCounter) => log.map((line) => JSON.parse(line).msg);
    const outage = expect.stringContaining('cannot be used');
    const recovery = expect.stringContaining('can be used again');

    it.each(['cut', 'block'] as const)('counts in memory, logs it once, and recovers (%s)', async (failure) => {
      const opened = await kind.open();
      const { counter, other, clock } = opened;
      await counter.take('before', 5);
      await opened.proxy?.[failure]();
      const decisions = await Promise.all(Array.from({ length: 20 }, async () => counter.take('a', 5)));
      expect(countAllowed(decisions)).toBe(5);
      clock.advance(2 * second);
      expect(await counter.take('a', 5)).toMatchObject({ allowed: false });
      expect(messagesOf(opened)).toEqual([outage]);

      await opened.proxy?.restore();
      const tryAgain = async () => {
        clock.advance(2 * second);
        await counter.take('again', 5);
        return messagesOf(opened);
      };
      await expect.poll(tryAgain).toEqual([outage, recovery]);
      await counter.take('shared', 5);
      expect(await other.take('shared', 5)).toMatchObject({ remaining: 3 });
    });

    it('is not considered unreachable because a request ended before it was counted', async () => {
      const { counter, log } = await kind.open();
      await runWithDeadline(new Deadline(0), async () => counter.take('a', 5));
      expect(await counter.take('a', 5)).toMatchObject({ remaining: 3 });
      expect(log).toEqual([]);
    });

    it('reconnects after the connection was lost between requests', async () => {
      const opened = await kind.open();
      await opened.counter.take('a', 5);
      await opened.proxy?.restore();
      await noticeInThisProcess();
      expect(await opened.counter.take('a', 5)).toMatchObject({ remaining: 3 });
      expect(opened.log).toEqual([]);
    });

    it('keeps rejecting a client at its limit without a request to the store', async () => {
      const { counter, proxy, log } = await kind.open();
      await takeMany(3, () => counter.take('a', 2));
      await proxy?.block();
      expect(await counter.take('a', 2)).toMatchObject({ allowed: false });
      expect(log).toEqual([]);
    });
  });
});

describe.skipIf(!postgres.isInstalled)('the table in PostgreSQL', () => {
  beforeAll(() => postgres.setUp());
  afterAll(() => postgres.tearDown());
  const rows = () => query(postgres.lastUrl(), 'select client from rate_windows');

  it('loses windows that have ended', async () => {
    const { counter, advance } = await postgres.open();
    await takeMany(3, () => counter.take('a', 2));
    await advance(minute);
    await counter.take('b', 2);
    await expect.poll(rows).toEqual([{ client: 'b' }]);
  });

  it('does not reject for hours because the clock was set back', async () => {
    const { counter, other } = await postgres.open();
    await takeMany(2, () => counter.take('a', 2));
    await query(postgres.lastUrl(), 'update rate_windows set ends_at_ms = ends_at_ms + 7200000');
    expect(await other.take('a', 2)).toMatchObject({ allowed: true, remaining: 1, resetSeconds: 60 });
  });

  it('is UNLOGGED', async () => {
    await postgres.open();
    const found = await query(postgres.lastUrl(), "select relpersistence from pg_class where relname = 'rate_windows'");
    expect(found).toEqual([{ relpersistence: 'u' }]);
  });
});

describe.skipIf(!redis.isInstalled)('the keys in Redis', () => {
  beforeAll(() => redis.setUp());
  afterAll(() => redis.tearDown());

  it('expire automatically, even one that had no expiry time', async () => {
    const { counter } = await redis.open();
    const { command } = redis.redis();
    await command('SET', 'latchkey:rate:forever', '2');
    await counter.take('a', 2);
    expect(await counter.take('forever', 2)).toMatchObject({ allowed: false, resetSeconds: 60 });
    for (const key of ['latchkey:rate:a', 'latchkey:rate:forever']) {
      expect(await command('PTTL', key)).toBeGreaterThan(50_000);
    }
  });
});

describe('the counter in memory', () => {
  it('keeps rejecting a client at its limit during a flood of other addresses', async () => {
    const clock = createFakeClock();
    const limiter = new MemoryRateCounter({ clock, capacity: 100 });
    for (let index = 0; index < 6; index++) await limiter.take('limited', 5);
    for (let index = 0; index < 10_000; index++) await limiter.take(`address ${index}`, 5);
    expect((await limiter.take('limited', 5)).allowed).toBe(false);
    clock.advance(minute);
    expect(await limiter.take('limited', 5)).toMatchObject({ allowed: true, remaining: 4 });
  });

  it('forgets the oldest clients beyond its capacity, and penalizes none for others', async () => {
    const limiter = new MemoryRateCounter({ clock: createFakeClock(), capacity: 100 });
    for (let index = 0; index <= 100; index++) {
      expect(await limiter.take(`address ${index}`, 5)).toMatchObject({ allowed: true, remaining: 4 });
    }
    for (const [index, remaining] of [4, 3, 3].entries()) {
      expect((await limiter.take(`address ${[0, 50, 100][index]}`, 5)).remaining).toBe(remaining);
    }
  });

  it('allows exactly as many requests as the limit, whatever it is', async () => {
    for (const limit of [1, 2, 30, 120]) {
      const limiter = new MemoryRateCounter({ clock: createFakeClock() });
      const allowed = await Promise.all(
        Array.from({ length: 200 }, async () => (await limiter.take('client', limit)).allowed),
      );
      expect(allowed.filter(Boolean)).toHaveLength(limit);
    }
  });
});
