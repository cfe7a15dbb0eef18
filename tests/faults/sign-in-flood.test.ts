/**
 * Row 16 of the matrix: far more sign-ins than the server can hash. Other requests succeed, and the queue is bounded.
 * Transport: HTTP.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { stringIn } from '../harness/test-client.ts';
import { newEmail, subscriber } from '../harness/users.ts';
import { amount, isTorture, reportFigures, rowTimeout } from './matrix-run.ts';

const row = 16;
const attackers = 150;
// With this setting, a password is hashed even for an email without an account.
const server = sharedHttpServer({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });

/** Returns the resident memory of the server's process. */
function residentMb(): number {
  const status = readFileSync(`/proc/${server.process.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe.skipIf(process.platform !== 'linux')('a flood of sign-ins', () => {
  it('is refused beyond the queue limit, while keys, tokens and the owner are still served', {
    timeout: rowTimeout(),
  }, async () => {
    const user = await subscriber(server, 'advanced');
    const apiKey = stringIn((await server.call('apiKey', { token: user.token })).body, 'api_key');
    const before = residentMb();
    const untilMs = performance.now() + amount(row) * 1000;
    const isOver = () => performance.now() > untilMs;
    const statuses = new Map<number, number>();
    const attack = async () => {
      while (!isOver()) {
        const body = { email: newEmail(), password: 'not the password' };
        const { status, headers } = await server.call('login', { body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
        if (status !== 401) await sleep(50);
      }
    };
    const others = { validated: 0, slowestMs: 0, mostMb: before };
    const goOn = async () => {
      while (!isOver()) {
        const startedMs = performance.now();
        expect((await server.call('validateApiKey', { body: { api_key: apiKey } })).body.valid).toBe(true);
        expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
        others.validated += 1;
        others.slowestMs = Math.max(others.slowestMs, performance.now() - startedMs);
        others.mostMb = Math.max(others.mostMb, residentMb());
        await sleep(20);
      }
    };
    const signIns = { ok: 0, refused: 0 };
    const signInAsOwner = async () => {
      while (!isOver()) {
        const { status } = await server.call('login', { body: { email: user.email, password: user.password } });
        if (status === 200) signIns.ok += 1;
        else signIns.refused += 1;
        await sleep(500);
      }
    };
    await Promise.all([goOn(), signInAsOwner(), ...Array.from({ length: attackers }, attack)]);
    expect([...statuses.keys()].filter((status) => ![401, 503].includes(status))).toStrictEqual([]);
    expect(statuses.get(503) ?? 0).toBeGreaterThan(0);
    // A request that takes too long is refused, so each of these has shown that it was served in time.
    expect(others.validated).toBeGreaterThan(isTorture ? amount(row) : 0);
    if (isTorture) expect(others.slowestMs).toBeLessThan(5000);
    expect(signIns).toMatchObject({ refused: 0 });
    const grownMb = Math.round(others.mostMb - before);
    expect(grownMb).toBeLessThan(250);
    reportFigures(row, {
      amount: `${amount(row)} s`,
      figures: {
        hashed: statuses.get(401) ?? 0,
        refused: statuses.get(503) ?? 0,
        'others answered': others.validated,
        'slowest of them in ms': Math.round(others.slowestMs),
        "the owner's sign-ins": signIns.ok,
        'MB grown': grownMb,
      },
    });
  });
});
