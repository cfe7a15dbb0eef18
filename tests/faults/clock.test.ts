/**
 * Row 8 of the matrix: a clock that is 400 days off, jumps by 8 days while the server runs, and passes the leap day and
 * the end of 32-bit time. Transport: inject, on a clock whose wall and monotonic times the test moves independently.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callEveryEndpoint } from '../conformance/every-endpoint.ts';
import { limitsOn } from '../harness/environment.ts';
import { createFakeClock, day, hour, minute, second, testStartMs } from '../harness/fake-clock.ts';
import { startApp } from '../harness/start-app.ts';
import { removeFolder } from '../harness/temporary-folder.ts';
import { signUp } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout, runsOf, settle } from './matrix-run.ts';

const row = 8;
const accessTtlMs = 15 * minute;
/** How far a clock may be set back before a token counts as issued in the future. */
const toleranceMs = minute;

const jump = fc.constantFrom(-400 * day, 400 * day, -8 * day, 8 * day, -8 * day, 8 * day);
const pause = fc.integer({ min: 0, max: 10 * minute });
const history = fc.array(
  fc.oneof(
    jump.map((by) => ({ by, pass: 0 })),
    pause.map((pass) => ({ by: 0, pass })),
  ),
  {
    minLength: 4,
    maxLength: 12,
  },
);

describe('a clock that jumps', () => {
  it('makes no token live longer, no limit wider and no wait negative', { timeout: rowTimeout() }, async () => {
    let jumps = 0;
    let longestMs = 0;
    const startMs = testStartMs + 10_000 * day;
    const clock = createFakeClock(startMs);
    const app = await startApp({ ...limitsOn, LATCHKEY_ACCESS_TOKEN_TTL: '15m' }, { clock });
    const logIn = () => app.call('login', { body: { email: 'nobody@example.com', password: 'x' } });
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (steps, isCached) => {
        await settle(app);
        clock.setNow(startMs);
        clock.advance(minute);
        const { token } = await signUp(app);
        const works = async () => (await app.call('subscriptionStatus', { token })).status === 200;
        if (isCached) expect(await works()).toBe(true);
        const issuedMs = clock.monotonic();
        let windowMs = Number.NEGATIVE_INFINITY;
        let passed = 0;
        for (const { by, pass } of steps) {
          await settle(app);
          clock.setNow(clock.now() + by);
          clock.advance(pass);
          if (by !== 0) jumps += 1;
          const aliveMs = clock.monotonic() - issuedMs;
          if (await works()) {
            longestMs = Math.max(longestMs, aliveMs);
            expect(aliveMs).toBeLessThan(accessTtlMs + toleranceMs);
          }
          const { status, headers } = await logIn();
          if (clock.monotonic() - windowMs >= minute) [windowMs, passed] = [clock.monotonic(), 0];
          // Sign-ins are counted per minute of monotonic time, wherever the wall clock has jumped.
          if (status !== 429) passed += 1;
          expect(passed).toBeLessThanOrEqual(5);
          const wait = headers.get('retry-after');
          if (wait !== null) expect(Number(wait)).toSatisfy((seconds: number) => seconds >= 1 && seconds <= 60);
        }
        await settle(app);
        clock.advance(minute);
      }),
      runsOf(row),
    );
    await app.stop();
    removeFolder(app.dataFolder);
    reportFigures(row, {
      amount: `${amount(row)} histories`,
      figures: { jumps, 's that a token lived at most': Math.round(longestMs / second) },
    });
  });

  it('keeps a limit of five at five, even if the date changes before each request', async () => {
    const clock = createFakeClock();
    const app = await startApp(limitsOn, { clock });
    const statuses: number[] = [];
    for (const by of [0, 8, -8, 400, -400, 8, 8, -16, 400].map((days) => days * day)) {
      await settle(app);
      clock.setNow(clock.now() + by);
      clock.advance(second);
      statuses.push((await app.call('login', { body: { email: 'nobody@example.com', password: 'x' } })).status);
    }
    expect(statuses).toStrictEqual([404, 404, 404, 404, 404, 429, 429, 429, 429]);
    await app.stop();
    removeFolder(app.dataFolder);
  });
});

describe('every endpoint works', () => {
  it.each([
    ['at the end of the day before the leap day', Date.UTC(2028, 1, 28, 23, 59, 59, 900)],
    ['on the leap day', Date.UTC(2028, 1, 29, 12)],
    ['at the end of the year', Date.UTC(2027, 11, 31, 23, 59, 59, 900)],
    ['before the end of 32-bit time', Date.UTC(2038, 0, 19, 3, 14, 7)],
    ['after the end of 32-bit time', Date.UTC(2038, 0, 19, 3, 14, 8)],
    ['after the end of unsigned 32-bit time', Date.UTC(2106, 1, 7, 6, 28, 16)],
    ['400 days early', testStartMs - 400 * day],
    ['400 days late', testStartMs + 400 * day],
  ])('%s', async (_, startMs) => {
    const clock = createFakeClock(startMs);
    const app = await startApp({}, { clock });
    await callEveryEndpoint(app);
    await settle(app);
    clock.advance(hour);
    await callEveryEndpoint(app);
    await app.stop();
    removeFolder(app.dataFolder);
  });
});
