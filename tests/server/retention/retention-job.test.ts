/** What the retention job deletes of each kind, and that a temporarily wrong clock costs nobody a session. */
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { deleteEndedBefore } from '../../../server/retention/retention.repository.ts';
import { retainedKinds } from '../../../server/retention/retention.rules.ts';
import { RetentionJob } from '../../../server/retention/retention-job.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { day, hour, second } from '../../harness/fake-clock.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import {
  activate,
  anotherSession,
  isoFromNow,
  issueLicense,
  newDeviceId,
  signUp,
  subscriber,
} from '../../harness/users.ts';

let server: TestApp;
let job: RetentionJob;
let log: string[];
beforeEach(async () => {
  server = await startTestApp({ LATCHKEY_ACCESS_TOKEN_TTL: '900d' });
  log = [];
  job = newJob();
  // The first run is on a database without users.
  await pass(8 * hour);
});

function newJob(historyMs = 365 * day): RetentionJob {
  const logger = pino({ level: 'trace' }, { write: (line: string) => log.push(line) });
  const { database, clock, services } = server;
  return new RetentionJob({ scheduler: systemScheduler, database, clock, ...services, logger, historyMs });
}

/** Lets time pass with the server running; runs two hours apart suffice to follow the clock. */
async function pass(milliseconds: number, running = job, everyMs = 2 * hour): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (let passed = 0; passed < milliseconds; passed += everyMs) {
    server.clock.advance(Math.min(everyMs, milliseconds - passed));
    for (const [kind, count] of Object.entries(await running.run())) total[kind] = (total[kind] ?? 0) + count;
  }
  return total;
}

function refresh(refreshToken: string, headers: Record<string, string> = {}) {
  return server.call('refresh', { body: { refresh_token: refreshToken }, headers });
}

describe('the retention job deletes', () => {
  it('released devices, but no active ones', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { activationId } = await activate(server, user, key);
    const active = await activate(server, user, key);
    await server.call('releaseActivation', { token: user.token, at: activationId });
    const short = newJob(day);
    // The allowance of new devices needs them for 30 days, whatever the setting.
    expect((await pass(29.5 * day, short)).activations).toBeUndefined();
    expect((await pass(day, short)).activations).toBe(1);
    const rows = await server.database.read.selectFrom('activations').select('device_id').execute();
    expect(rows).toEqual([{ device_id: active.deviceId }]);
  });

  it('released devices without ending the place that a lease reserves', async () => {
    const user = await signUp(server);
    await server.admin('plan', 'set', 'long-leases', '--lease-days', '90');
    const { key } = await issueLicense(
      server,
      '--email',
      user.email,
      '--plan',
      'long-leases',
      '--max-activations',
      '1',
    );
    const { deviceId, activationId } = await activate(server, user, key);
    await server.call('lease', { token: user.token, body: { device_id: deviceId } });
    await server.call('releaseActivation', { token: user.token, at: activationId });
    const short = newJob(day);
    expect((await pass(80 * day, short)).activations).toBeUndefined();
    expect((await pass(41 * day, short)).activations).toBe(1);
  });

  it('revoked API keys, but not the current one', async () => {
    const user = await subscriber(server, 'standard', '--period-end', '2030-01-01T00:00:00Z');
    for (const body of [{}, { regenerate: true }]) {
      expect((await server.call('apiKey', { token: user.token, body })).status).toBe(200);
    }
    const short = newJob(day);
    expect((await pass(6.5 * day, short)).api_keys).toBeUndefined();
    expect((await pass(day, short)).api_keys).toBe(1);
    const rows = await server.database.read.selectFrom('api_keys').select('revoked_at_ms').execute();
    expect(rows).toEqual([{ revoked_at_ms: null }]);
  });

  it('a revoked legacy key only after its end, so that it cannot be imported again', async () => {
    const user = await subscriber(server, 'standard', '--period-end', '2030-01-01T00:00:00Z');
    const end = isoFromNow(server, 60 * day);
    await server.admin('api-key', 'import-legacy', user.email, '--key', 'an-old-key', '--expires-at', end);
    await server.admin('api-key', 'revoke', user.email);
    const short = newJob(day);
    expect((await pass(66 * day, short)).api_keys).toBeUndefined();
    expect((await pass(2 * day, short)).api_keys).toBe(1);
  });

  it('refresh tokens 30 days after they expired, and their sessions within a day after the retention of history', async () => {
    const { refreshToken } = await signUp(server);
    await refresh(refreshToken);
    const running = newJob(40 * day);
    const nothing = await pass(36.5 * day, running);
    expect([nothing.refresh_tokens, nothing.sessions]).toStrictEqual([undefined, undefined]);
    expect((await refresh(refreshToken)).body.code).toBe('INVALID_TOKEN');
    const tokens = await pass(day, running);
    expect([tokens.refresh_tokens, tokens.sessions]).toStrictEqual([1, undefined]);
    expect((await pass(9 * day, running)).sessions).toBeUndefined();
    expect((await pass(2 * day, running)).sessions).toBe(1);
  });

  it('used refresh tokens a day after they expired, and detects their theft until then', async () => {
    const [robbed, safe] = [await signUp(server), await signUp(server)];
    const second = async (token: string) => String((await refresh(token)).body.refresh_token);
    const tokens = [await second(robbed.refreshToken), await second(safe.refreshToken)] as const;
    await pass(5 * day);
    const [ofRobbed, ofSafe] = [await second(tokens[0]), await second(tokens[1])];
    expect((await pass(2.9 * day)).used_refresh_tokens).toBeUndefined();
    expect((await refresh(robbed.refreshToken)).body.code).toBe('INVALID_TOKEN');
    expect((await refresh(ofRobbed)).body.code).toBe('INVALID_TOKEN');
    expect((await pass(0.2 * day)).used_refresh_tokens).toBe(4);
    expect((await refresh(safe.refreshToken)).body.code).toBe('INVALID_TOKEN');
    expect((await refresh(ofSafe)).status).toBe(200);
  });

  it('no refresh token whose successor may have to be sent again', async () => {
    const { refreshToken } = await signUp(server);
    await pass(6 * day);
    const headers = { 'idempotency-key': 'the-response-was-lost' };
    const { body } = await refresh(refreshToken, headers);
    expect((await pass(6.5 * day)).used_refresh_tokens).toBeUndefined();
    expect((await refresh(refreshToken, headers)).body.refresh_token).toBe(body.refresh_token);
  });

  it('device activity after a day', async () => {
    const user = await signUp(server);
    await pass(day);
    await server.call('heartbeat', { token: user.token, body: { device_id: newDeviceId() } });
    expect((await pass(16 * hour)).device_activity).toBeUndefined();
    expect((await pass(16 * hour)).device_activity).toBe(1);
  });

  it('reminders 30 days after the end that they were about', async () => {
    await server.admin('webhook', 'add', 'https://example.com/events');
    await issueLicense(server, '--expires-at', isoFromNow(server, 3 * day));
    await server.services.reminders.run(async () => true);
    expect((await pass(32.5 * day)).reminders).toBeUndefined();
    expect((await pass(day)).reminders).toBe(1);
  });

  it('in batches that are found by age through an index', async () => {
    for (const kind of retainedKinds) {
      const plan = await readQueryPlan(server, (transaction) =>
        deleteEndedBefore(transaction, { kind, beforeMs: 1, limit: 1 }),
      );
      expect(plan, kind).toMatch(/SEARCH \w+ USING (COVERING )?INDEX \w+ \(\w+(<\?|>\? AND \w+<\?)\)/);
      expect(plan, kind).not.toMatch(/TEMP B-TREE/);
    }
  });

  it('everything that is due, however much there is', async () => {
    const user = await signUp(server);
    await pass(day);
    const seenMs = server.now();
    await server.database.write(async (transaction) => {
      for (let number = 0; number < 950; number++) {
        const row = {
          device_id: `d${number}`,
          user_id: user.id,
          network: 'n',
          instance: '',
          heartbeats: 1,
          returns: 0,
        };
        await transaction
          .insertInto('device_activity')
          .values({ ...row, first_seen_at_ms: seenMs, last_seen_at_ms: seenMs })
          .execute();
      }
    });
    expect((await pass(2 * day)).device_activity).toBe(950);
  });
});

describe('a clock that is 40 days ahead', () => {
  it('for one sign-in ends no other session', async () => {
    const user = await signUp(server);
    await pass(day);
    const rightMs = server.now();
    server.clock.setNow(rightMs + 40 * day);
    await anotherSession(server, user);
    await refresh(await anotherSession(server, user));
    await server.call('heartbeat', { token: user.token, body: { device_id: newDeviceId() } });
    expect(await job.run()).toStrictEqual({});
    server.clock.setNow(rightMs);
    expect(await job.run()).toStrictEqual({});
    expect((await refresh(user.refreshToken)).status).toBe(200);
  });

  it('is logged once, and deletion continues after it is corrected', async () => {
    await pass(day);
    const rightMs = server.now();
    server.clock.setNow(rightMs + 40 * day);
    await job.run();
    await job.run();
    expect(log.filter((line) => line.includes('its clock jumped'))).toHaveLength(1);
    server.clock.setNow(rightMs);
    await job.run();
    const user = await signUp(server);
    await server.call('heartbeat', { token: user.token, body: { device_id: newDeviceId() } });
    expect((await pass(3 * day)).device_activity).toBe(1);
  });

  it('when the server starts and for 3 days after it deletes no live session', async () => {
    const { refreshToken } = await signUp(server);
    await pass(day);
    const rightMs = server.now();
    server.clock.setNow(rightMs + 40 * day);
    const restarted = newJob();
    expect(await restarted.run()).toStrictEqual({});
    expect(await pass(3 * day, restarted, hour)).toStrictEqual({});
    server.clock.setNow(rightMs + 3 * day);
    expect(await pass(8 * hour, restarted)).toStrictEqual({});
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  it('for 5 days deletes no live session even if history is retained for a second only', async () => {
    const { refreshToken } = await signUp(server);
    const short = newJob(second);
    await pass(day, short);
    const rightMs = server.now();
    server.clock.setNow(rightMs + 40 * day);
    await pass(5 * day, short, hour);
    server.clock.setNow(rightMs + 5 * day);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  it('at the first run on a database in use deletes no live session for 3 days', async () => {
    const { refreshToken } = await signUp(server);
    await server.database.write((transaction) =>
      transaction.deleteFrom('meta').where('name', 'like', 'retention_%').execute(),
    );
    const rightMs = server.now();
    server.clock.setNow(rightMs + 40 * day);
    expect(await pass(3 * day, newJob(), hour)).toStrictEqual({});
    server.clock.setNow(rightMs + 3 * day);
    expect((await refresh(refreshToken)).status).toBe(200);
  });
});

it('a clock that was years behind delays deletion by a month once it is correct', async () => {
  await pass(day);
  const rightMs = server.now();
  server.clock.setNow(0);
  await pass(day);
  server.clock.setNow(rightMs + day);
  const user = await signUp(server);
  await server.call('heartbeat', { token: user.token, body: { device_id: newDeviceId() } });
  expect((await pass(29 * day)).device_activity).toBeUndefined();
  expect((await pass(3 * day)).device_activity).toBe(1);
});

it('a server that was off for 40 days deletes what became old after running for about half as long', async () => {
  await signUp(server);
  await pass(day);
  server.clock.advance(40 * day);
  const restarted = newJob();
  expect(await restarted.run()).toStrictEqual({});
  expect(await pass(17 * day, restarted, hour)).toStrictEqual({});
  expect((await pass(3 * day, restarted, hour)).refresh_tokens).toBe(1);
});

it('only one process deletes at a time', async () => {
  await pass(day);
  const user = await signUp(server);
  await server.call('heartbeat', { token: user.token, body: { device_id: newDeviceId() } });
  const other = newJob();
  expect(await pass(day)).toStrictEqual({});
  server.clock.advance(hour);
  const [first, second] = await Promise.all([job.run(), other.run()]);
  expect([first, second]).toContainEqual({ device_activity: 1 });
  expect([first, second]).toContainEqual({});
});
