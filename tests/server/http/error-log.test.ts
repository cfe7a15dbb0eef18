/**
 * When the database is unavailable, every request fails: the log says so every few seconds rather than once per
 * request.
 */
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { PasswordHasher } from '../../../server/accounts/password-hasher.ts';
import { ErrorLog, errorLogIntervalMs, maxErrorKinds } from '../../../server/http/error-log.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { newEmail } from '../../harness/users.ts';

type Line = {
  readonly level: number;
  readonly msg: string;
  readonly route?: string;
  readonly repeated?: number;
  readonly err: { message: string };
};

const errorLevel = 50;

function errorLines(text: string): Line[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line): Line => JSON.parse(line)).filter(({ level }) => level === errorLevel);
}

it('without its database, the server logs a line every 10 seconds that says how many requests failed', async () => {
  const server = await startTestApp();
  const lines = () => errorLines(server.logText()).map(({ msg, repeated }) => [msg, repeated]);
  const fail = async (count: number) => {
    for (let request = 0; request < count; request++) {
      expect((await server.request('GET', '/readyz')).status).toBe(503);
    }
  };
  await server.database.close();
  await fail(30);
  expect(lines()).toStrictEqual([['database unavailable', undefined]]);
  server.clock.advance(errorLogIntervalMs);
  await fail(5);
  expect(lines().slice(1)).toStrictEqual([['database unavailable', 29]]);
  await server.app.close();
  expect(lines().slice(2)).toStrictEqual([['database unavailable', 4]]);
});

it('a request that fails for another reason in the meantime is logged', async () => {
  const server = await startTestApp({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });
  const verify = vi.spyOn(PasswordHasher.prototype, 'verify').mockRejectedValue(new TypeError('a bug'));
  const statuses = [];
  for (let turn = 0; turn < 3; turn++) {
    const payload = { email: newEmail(), password: 'x' };
    statuses.push((await server.app.inject({ method: 'POST', url: '/api/v1/auth/login', payload })).statusCode);
  }
  verify.mockRestore();
  expect(statuses).toStrictEqual([500, 500, 500]);
  await server.database.close();
  await server.request('GET', '/readyz');
  expect(errorLines(server.logText()).map(({ msg, route }) => [msg, route])).toStrictEqual([
    ['request failed', '/api/v1/auth/login'],
    ['database unavailable', '/readyz'],
  ]);
});

describe('errors', () => {
  function start() {
    const clock = createFakeClock();
    let text = '';
    const write = (line: string) => {
      text += line;
    };
    const logger = pino({}, { write });
    const log = new ErrorLog({ logger, clock });
    const lines = () => errorLines(text).map(({ err, repeated }) => [err.message, repeated]);
    return { log, clock, lines };
  }

  it('are grouped if they have the same code, or the same message apart from numbers', () => {
    const { log, lines } = start();
    for (const code of ['53300', '53300', '57P01'])
      log.add(Object.assign(new Error(`code ${code}`), { code }), 'x', {});
    for (const timeMs of [4987, 512]) log.add(new Error(`no response within ${timeMs} ms`), 'x', {});
    expect(lines()).toStrictEqual([
      ['code 53300', undefined],
      ['code 57P01', undefined],
      ['no response within 4987 ms', undefined],
    ]);
  });

  it('that were counted are logged with the next error of any kind', () => {
    const { log, clock, lines } = start();
    for (const message of ['one', 'one', 'one']) log.add(new Error(message), 'x', {});
    clock.advance(errorLogIntervalMs - 1);
    log.add(new Error('two'), 'x', {});
    expect(lines()).toStrictEqual([
      ['one', undefined],
      ['two', undefined],
    ]);
    clock.advance(1);
    log.add(new Error('three'), 'x', {});
    expect(lines().slice(2)).toStrictEqual([
      ['one', 2],
      ['three', undefined],
    ]);
    log.flush();
    expect(lines()).toHaveLength(4);
  });

  it('of many kinds are logged in a bounded number of lines', () => {
    const { log, clock, lines } = start();
    const fail = () => {
      for (let kind = 0; kind < 1000; kind++) log.add(new Error('x'.repeat(kind)), 'failed', {});
    };
    fail();
    expect(lines()).toHaveLength(maxErrorKinds + 1);
    clock.advance(errorLogIntervalMs);
    fail();
    expect(lines().length).toBeLessThanOrEqual(2 * (maxErrorKinds + 1) + 1);
  });
});
