/** Row 12 of the matrix: forged client addresses, one IPv6 network with many addresses, and a million addresses. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MemoryRateCounter } from '../../server/rate-limits/memory-rate-counter.ts';
import { limitsOn } from '../harness/environment.ts';
import { createFakeClock, minute } from '../harness/fake-clock.ts';
import { sharedApp } from '../harness/start-app.ts';
import type { CallOptions } from '../harness/test-client.ts';
import { reportFigures } from './matrix-run.ts';

const row = 12;
const limit = 5;
const direct = sharedApp(limitsOn);
const behindProxy = sharedApp({ ...limitsOn, LATCHKEY_TRUST_PROXY: '10.0.0.0/8' });

/** Returns how many of twenty sign-ins are allowed, each sent with the options of its turn. */
async function countPassed(on: typeof direct, optionsOf: (turn: number) => CallOptions): Promise<number> {
  const body = { email: 'nobody@example.com', password: 'x' };
  let passed = 0;
  for (let turn = 0; turn < 20; turn++) {
    const { status } = await on.call('login', { body, ...optionsOf(turn) });
    if (status !== 429) passed += 1;
  }
  return passed;
}

const madeUp = (turn: number) => `203.0.113.${turn}`;

const spoofed: readonly (readonly [string, (turn: number) => Record<string, string>])[] = [
  ['X-Forwarded-For', (turn) => ({ 'x-forwarded-for': madeUp(turn) })],
  ['X-Forwarded-For with several', (turn) => ({ 'x-forwarded-for': `${madeUp(turn)}, 127.0.0.1, 10.0.0.1` })],
  ['Forwarded', (turn) => ({ forwarded: `for=${madeUp(turn)}` })],
  ['X-Real-IP', (turn) => ({ 'x-real-ip': madeUp(turn) })],
  ['True-Client-IP', (turn) => ({ 'true-client-ip': madeUp(turn) })],
  ['CF-Connecting-IP', (turn) => ({ 'cf-connecting-ip': madeUp(turn) })],
  ['X-Client-IP', (turn) => ({ 'x-client-ip': madeUp(turn) })],
  ['X-Forwarded-Host', (turn) => ({ 'x-forwarded-host': `h${turn}.example.com` })],
];

describe('a client that forges addresses', () => {
  it.each(spoofed)('gets no more than its limit: %s', async (header, headersOf) => {
    const from = `198.51.100.${spoofed.findIndex(([name]) => name === header) + 1}`;
    expect(await countPassed(direct, (turn) => ({ from, headers: headersOf(turn) }))).toBe(limit);
  });

  it('gets no more behind a proxy that appends the real address', async () => {
    const headers = (turn: number) => ({ 'x-forwarded-for': `${madeUp(turn)}, 198.51.100.77` });
    expect(await countPassed(behindProxy, (turn) => ({ from: '10.0.0.1', headers: headers(turn) }))).toBe(limit);
  });

  it('gets no more if it bypasses the proxy', async () => {
    const headers = (turn: number) => ({ 'x-forwarded-for': madeUp(turn) });
    expect(await countPassed(behindProxy, (turn) => ({ from: '198.51.100.78', headers: headers(turn) }))).toBe(limit);
  });

  it.each(['::ffff:198.51.100.90', '0:0:0:0:0:ffff:198.51.100.91', '64:ff9b::198.51.100.92'])(
    'gets no more by using another notation: %s',
    async (from) => {
      const plain = from.slice(from.lastIndexOf(':') + 1);
      const isMapped = from.includes('ffff');
      const passed = await countPassed(direct, (turn) => ({ from: turn % 2 === 0 || !isMapped ? from : plain }));
      expect(passed).toBe(limit);
    },
  );
});

describe('one IPv6 network of 64 bits', () => {
  it('has one limit for all of its addresses', async () => {
    const from = (turn: number) => `2001:db8:77:1:${turn.toString(16)}:${turn}:abcd:${turn + 1}`;
    expect(await countPassed(direct, (turn) => ({ from: from(turn) }))).toBe(limit);
    expect(await countPassed(direct, () => ({ from: '2001:db8:77:2::1' }))).toBe(limit);
  });
});

describe('a million addresses', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  it('take less than 150 MB, do not affect the count of a client at its limit, and are forgotten', async () => {
    const clock = createFakeClock();
    const counter = new MemoryRateCounter({ clock });
    for (let turn = 0; turn < limit; turn++) counter.count('attacker', limit);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    let slowestUs = 0;
    let usedUs = process.cpuUsage().user;
    for (let address = 0; address < 1_000_000; address++) {
      counter.count(`login 2001:db8:${(address >> 16).toString(16)}:${(address & 0xffff).toString(16)}::/64`, limit);
      if (address % 100_000 !== 99_999) continue;
      slowestUs = Math.max(slowestUs, (process.cpuUsage().user - usedUs) / 100_000);
      expect(counter.count('attacker', limit).allowed).toBe(false);
      collectGarbage();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
      usedUs = process.cpuUsage().user;
    }
    expect(most / 1e6).toBeLessThan(150);
    clock.advance(minute);
    expect(counter.count('attacker', limit).allowed).toBe(true);
    reportFigures(row, {
      amount: 'a million addresses',
      figures: {
        'headers made up': spoofed.length,
        'MB at most': Math.round(most / 1e5) / 10,
        'µs a request at most': Math.round(slowestUs * 10) / 10,
      },
    });
  });
});
