/** The connection doctor: ten steps in order, each with a deadline, none of which sends more than it may. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ConnectionDoctor } from '../../../electron/licensing/doctor.ts';
import type { HttpRequest, HttpResult, Network } from '../../../electron/licensing/platform.ts';
import { type DoctorReport, type DoctorStepName, doctorStepNames } from '../../../shared/ipc/doctor.ts';
import { settings } from '../../../shared/ipc/settings.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { errorReply, licenseKey, ScriptedServer } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient, type TestClient } from './start-client.ts';

const secure = 'https://license.lab.org';
const never = () => new Promise<never>(() => {});
const proxy = { kind: 'proxy', protocol: 'http', host: 'proxy.lab.org', port: 3128 } as const;

/** Signed in at a server that is reached over https. */
async function startSecure(network: Partial<Network> = {}): Promise<TestClient> {
  const platform = createFakePlatform();
  const testClient = await startTestClient(platform, new ScriptedServer(platform), secure);
  await testClient.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
  await platform.clock.advance(10);
  Object.assign(platform.network, network);
  return testClient;
}

async function diagnose({ client, platform }: TestClient, passMs = 0): Promise<DoctorReport> {
  const report = client.runDoctor();
  await platform.clock.advance(passMs);
  const result = await report;
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

function findingsOf({ steps }: DoctorReport): Partial<Record<DoctorStepName, string>> {
  return Object.fromEntries(steps.map(({ step, finding }) => [step, finding]));
}

describe('the connection doctor', () => {
  it('finds nothing wrong with a good connection, and reports that for all ten steps in order', async () => {
    const testClient = await startSecure();
    testClient.platform.http.sendDate(testClient.platform.clock.now);
    await testClient.client.activateLicense({ licenseKey });
    const report = await diagnose(testClient);
    expect(report.server).toBe(secure);
    expect(report.at).toBe(new Date(testClient.platform.clock.now()).toISOString());
    expect(report.steps.map(({ step }) => step)).toEqual(doctorStepNames);
    expect(findingsOf(report)).toEqual({
      address: 'address-valid',
      dns: 'name-resolved',
      tcp: 'connected',
      tls: 'certificate-trusted',
      proxy: 'proxy-none',
      clock: 'clock-in-sync',
      api: 'license-server',
      session: 'session-accepted',
      license: 'license-good',
      seat: 'seat-taken',
    });
    expect(report.steps[3]?.detail).toEqual({
      issuer: 'Lab CA',
      expires_at: '2026-03-04T09:00:00.010Z',
      protocol: 'TLSv1.3',
      code: null,
    });
    expect(report.steps[4]?.detail).toBe('DIRECT');
  });

  it('skips encryption over http without a time, and reports a time for each step that it checked', async () => {
    const { steps } = await diagnose(await startActivated());
    for (const { step, outcome, measured_ms } of steps) {
      expect([step, outcome, typeof measured_ms]).toEqual(
        step === 'tls' ? [step, 'skipped', 'object'] : [step, outcome, 'number'],
      );
    }
  });

  it('measures each step by the monotonic clock, and the proxy in its own step', async () => {
    const testClient = await startSecure();
    const { clock } = testClient.platform;
    const delayed = <T>(ms: number, value: T) => new Promise<T>((done) => void clock.setTimer(ms, () => done(value)));
    Object.assign(testClient.platform.network, {
      findProxy: () => delayed(40, { route: { kind: 'direct' }, pacUrl: null }),
      resolveHost: () => delayed(25, { kind: 'found', addresses: ['192.0.2.7'] }),
    });
    const { steps } = await diagnose(testClient, 100);
    expect(steps[1]).toMatchObject({ step: 'dns', measured_ms: 25 });
    expect(steps[4]).toMatchObject({ step: 'proxy', measured_ms: 40 });
  });

  it('skips everything after a failed step, except the clock', async () => {
    const testClient = await startSecure({ connect: async () => ({ kind: 'failed', code: 'ECONNREFUSED' }) });
    const before = testClient.platform.http.requests.length;
    const report = await diagnose(testClient);
    expect(report.steps[2]).toMatchObject({ outcome: 'fail', finding: 'connection-refused', remedy: 'start-server' });
    expect(findingsOf(report)).toMatchObject({
      ...{ tls: 'skipped', proxy: 'skipped', clock: 'clock-unknown' },
      ...{ api: 'skipped', session: 'skipped', license: 'skipped', seat: 'skipped' },
    });
    expect(report.steps[3]).toMatchObject({ outcome: 'skipped', measured_ms: null, remedy: null });
    expect(testClient.platform.http.requests.length).toBe(before);
  });

  it('continues after finding a wrong clock', async () => {
    const testClient = await startSecure();
    testClient.platform.http.sendDate(() => testClient.platform.clock.now() - 12 * 60_000);
    const { steps } = await diagnose(testClient);
    expect(steps[5]).toMatchObject({ finding: 'clock-ahead', detail: '12 min', remedy: 'set-clock' });
    expect(steps[6]).toMatchObject({ finding: 'license-server' });
  });

  it('reports a missing address, and calls nothing', async () => {
    const platform = createFakePlatform();
    const testClient = await startTestClient(platform, new ScriptedServer(platform), null);
    const report = await diagnose(testClient);
    expect(report.server).toBeNull();
    expect(findingsOf(report)).toMatchObject({ address: 'address-missing', dns: 'skipped', clock: 'clock-unknown' });
    expect(platform.http.requests).toEqual([]);
  });

  it('looks up and connects to the proxy, and goes through it to the server', async () => {
    const asked: unknown[] = [];
    const testClient = await startSecure({
      findProxy: async () => ({ route: proxy, pacUrl: null }),
      resolveHost: async (host) => {
        asked.push(host);
        return { kind: 'found', addresses: ['192.0.2.9'] };
      },
      connect: async (target) => {
        asked.push(target);
        return { kind: 'connected', address: '192.0.2.9' };
      },
      secure: async (target, route) => {
        asked.push(target, route);
        return { kind: 'no-tunnel', status: 407 };
      },
      readDate: async () => null,
    });
    Object.assign(testClient.platform.http, {
      send: async () => ({ ok: false, reason: 'unreachable', message: 'PROXY_AUTHENTICATION' }),
    });
    const report = await diagnose(testClient);
    const { host, port } = proxy;
    expect(asked).toEqual([host, { host, port }, { host: 'license.lab.org', port: 443 }, proxy]);
    expect(report.steps.slice(3, 5)).toMatchObject([
      { finding: 'tls-not-measured', outcome: 'unknown' },
      { finding: 'proxy-authentication', outcome: 'fail', detail: 'PROXY proxy.lab.org:3128' },
    ]);
    expect(findingsOf(report)).toMatchObject({ clock: 'clock-unknown', api: 'skipped' });
  });

  it('trusts the app’s own connection over its measurement if the proxy lets only the app through', async () => {
    const testClient = await startSecure({
      findProxy: async () => ({ route: proxy, pacUrl: null }),
      secure: async () => ({ kind: 'no-tunnel', status: 407 }),
    });
    expect(findingsOf(await diagnose(testClient))).toMatchObject({
      tls: 'tls-not-measured',
      proxy: 'proxy-used',
      api: 'license-server',
    });
  });

  it('distinguishes a wrong clock from an expired certificate', async () => {
    const testClient = await startSecure();
    const { clock, network, http } = testClient.platform;
    const dates = { validFromMs: clock.now() - 9e8, expiresAtMs: clock.now() - 9e7 };
    Object.assign(http, { send: async () => ({ ok: false, reason: 'unreachable', message: 'CERT_HAS_EXPIRED' }) });
    Object.assign(network, {
      secure: async () => ({
        kind: 'secured',
        problem: 'CERT_HAS_EXPIRED',
        issuer: 'Lab CA',
        protocol: null,
        ...dates,
      }),
    });
    expect(findingsOf(await diagnose(testClient))).toMatchObject({
      tls: 'certificate-expired',
      clock: 'clock-in-sync',
    });
    Object.assign(network, { readDate: async () => clock.now() - 10 * 86_400_000 });
    const { steps } = await diagnose(testClient);
    expect(steps[3]).toMatchObject({ finding: 'certificate-clock', remedy: 'set-clock' });
    expect(steps[5]).toMatchObject({ finding: 'clock-ahead', detail: '240 h' });
  });

  it.each([
    ['dns', { resolveHost: never }, 6000, 'dns-silent'],
    ['tcp', { connect: never }, 6000, 'connection-timeout'],
    ['tls', { secure: never }, 12_000, 'tls-timeout'],
    ['clock', {}, 10_000, 'clock-unknown'],
  ] as const)('ends the step %s at its deadline', async (name, network, deadlineMs, finding) => {
    const testClient = await startSecure(network);
    if (name === 'clock') Object.assign(testClient.platform.http, { send: never });
    const { steps } = await diagnose(testClient, 60_000);
    expect(steps.find(({ step }) => step === name)).toMatchObject({ finding, measured_ms: deadlineMs });
    expect(steps).toHaveLength(10);
  });

  it('aborts pending work at the deadline', async () => {
    let given: AbortSignal | undefined;
    const connect: Network['connect'] = (_target, signal) => {
      given = signal;
      return never();
    };
    await diagnose(await startSecure({ connect }), 6000);
    expect(given?.aborted).toBe(true);
  });

  it('ends within a minute, however slow each step is', async () => {
    const testClient = await startSecure();
    await testClient.client.activateLicense({ licenseKey });
    const { clock, network, http } = testClient.platform;
    const slow = <T>(ms: number, value: Promise<T>) =>
      new Promise<T>((done) => void clock.setTimer(ms, () => done(value)));
    const { findProxy, resolveHost, connect, secure } = network;
    const { send } = http;
    Object.assign(network, {
      findProxy: (...given: Parameters<Network['findProxy']>) => slow(2900, findProxy(...given)),
      resolveHost: (...given: Parameters<Network['resolveHost']>) => slow(5900, resolveHost(...given)),
      connect: (...given: Parameters<Network['connect']>) => slow(5900, connect(...given)),
      secure: (...given: Parameters<Network['secure']>) => slow(11_900, secure(...given)),
    });
    Object.assign(http, { send: (...given: Parameters<typeof send>) => slow(9900, send(...given)) });
    const startedAtMs = clock.monotonic();
    const { steps } = await diagnose(testClient, 60_000);
    expect(clock.monotonic() - startedAtMs).toBe(60_000);
    expect(steps.map(({ outcome }) => outcome)).toEqual([
      ...Array(5).fill('pass'),
      'unknown',
      'pass',
      'pass',
      'unknown',
      'skipped',
    ]);
    expect(steps[8]).toMatchObject({ step: 'license', finding: 'out-of-time' });
  });

  it('can be canceled immediately with a failure, and then shows nothing', async () => {
    const testClient = await startSecure({ connect: never });
    const run = testClient.client.runDoctor();
    await testClient.platform.clock.advance(10);
    expect(testClient.client.getState().doctor).toMatchObject({ running: 'tcp', report: { server: secure } });
    expect(testClient.client.getState().doctor?.report.steps.map(({ step }) => step)).toEqual(['address', 'dns']);
    await testClient.client.cancelDoctor();
    expect(await run).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    expect(testClient.client.getState().doctor).toBeNull();
    Object.assign(testClient.platform.network, createFakePlatform().network);
    expect(findingsOf(await diagnose(testClient))).toMatchObject({ tcp: 'connected' });
  });

  it('runs once for two simultaneous requests, and keeps its result', async () => {
    const testClient = await startSecure();
    const before = testClient.platform.http.to('/binary-hash').length;
    const [first, second] = await Promise.all([testClient.client.runDoctor(), testClient.client.runDoctor()]);
    expect(first).toEqual(second);
    expect(testClient.platform.http.to('/binary-hash').length).toBe(before + 2);
    expect(testClient.client.getState().doctor).toEqual({ running: null, report: first.ok ? first.value : null });
  });

  it('sends the session only to a license server', async () => {
    const testClient = await startSignedIn();
    testClient.platform.http.on('GET /binary-hash', { status: 200, text: '<html>Welcome</html>' });
    const before = testClient.platform.http.requests.length;
    expect(findingsOf(await diagnose(testClient))).toMatchObject({ api: 'web-page', session: 'skipped' });
    const sent = testClient.platform.http.requests.slice(before);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it('sends a busy server no further requests', async () => {
    const testClient = await startSignedIn();
    testClient.platform.http.on('GET /binary-hash', { status: 502, text: 'Bad gateway' });
    expect(findingsOf(await diagnose(testClient))).toMatchObject({ api: 'server-busy', session: 'skipped' });
  });

  it('has no session to check while nobody is signed in', async () => {
    const testClient = await startTestClient();
    expect(findingsOf(await diagnose(testClient))).toMatchObject({ session: 'signed-out', license: 'skipped' });
  });

  it('distinguishes an ended session from one that could not be checked', async () => {
    const ended = await startSignedIn();
    ended.server.accessTokens.clear();
    ended.platform.http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN'));
    expect(findingsOf(await diagnose(ended))).toMatchObject({ session: 'session-ended', license: 'skipped' });
    expect(findingsOf(await diagnose(ended))).toMatchObject({ session: 'session-ended' });
    const limited = await startSignedIn();
    limited.platform.http.on('GET /subscription/status', errorReply(429, 'RATE_LIMITED'));
    expect(findingsOf(await diagnose(limited, 60_000))).toMatchObject({ session: 'session-unknown' });
  });

  it('names the reason why the license is not valid', async () => {
    const testClient = await startActivated();
    testClient.server.invalidCode = 'LICENSE_REVOKED';
    const { steps } = await diagnose(testClient);
    expect(steps[8]).toMatchObject({ finding: 'license-revoked', detail: 'LICENSE_REVOKED', remedy: 'contact-issuer' });
    expect(steps[9]).toMatchObject({ outcome: 'skipped' });
  });

  it('reports whether this device has a place on the license, and whether one is free', async () => {
    const testClient = await startSignedIn();
    const { server } = testClient;
    expect((await diagnose(testClient)).steps[9]).toMatchObject({ finding: 'seat-not-activated', detail: '1/3' });
    server.activations = 3;
    expect((await diagnose(testClient)).steps[9]).toMatchObject({ finding: 'seat-limit-reached', detail: '3/3' });
  });
});

describe('a step of the connection doctor', () => {
  const hashes = {
    status: 404,
    headers: { 'content-type': 'application/json', date: 'Tue, 03 Mar 2026 09:00:00 GMT' },
  };
  const licenseServer: HttpResult = {
    ok: true,
    response: { ...hashes, body: JSON.stringify({ error: 'Not configured', message: 'No hashes.' }) },
  };
  const unreachable: HttpResult = { ok: false, reason: 'unreachable', message: 'CERT' };
  const secured = {
    kind: 'secured',
    problem: null,
    issuer: 'Lab CA',
    validFromMs: null,
    expiresAtMs: null,
    protocol: null,
  } as const;

  type Given = {
    readonly address?: string;
    readonly network?: Partial<Network>;
    readonly response?: HttpResult;
    readonly trustedTime?: object;
    readonly status?: object;
  };

  /** A doctor whose requests, connections and look-ups are recorded. */
  function create({ address = secure, network = {}, response = licenseServer, trustedTime = {}, status }: Given = {}) {
    const { clock, network: fakeNetwork } = createFakePlatform();
    const seen = { sent: [] as HttpRequest[], resolved: [] as string[], connected: [] as object[], dates: 0, told: 0 };
    const stopping = new AbortController();
    let jumpedMs = 0;
    let validations = 0;
    const doctor = new ConnectionDoctor({
      clock: { ...clock, monotonic: () => clock.monotonic() + jumpedMs },
      http: {
        send: async (request) => {
          seen.sent.push(request);
          return response;
        },
      },
      network: {
        ...fakeNetwork,
        resolveHost: (host, signal) => {
          seen.resolved.push(host);
          return fakeNetwork.resolveHost(host, signal);
        },
        connect: (target, signal) => {
          seen.connected.push(target);
          return fakeNetwork.connect(target, signal);
        },
        readDate: async () => {
          seen.dates += 1;
          return clock.now();
        },
        ...network,
      },
      trustedTime: {
        nowMs: clock.now,
        measuredMs: clock.now,
        isClockAhead: false,
        isClockBehind: false,
        ...trustedTime,
      },
      session: { user: status === undefined ? null : { email: 'ada@lab.org' } } as never,
      signedOutReason: () => null,
      deviceLicense: {
        loadStatus: async () => status as never,
        validateStored: async () => {
          validations += 1;
          return null;
        },
      },
      preferences: { current: { serverAddress: address, settings: settings.parse({}) } },
      changes: {
        notify: () => {
          seen.told += 1;
        },
      },
      signal: stopping.signal,
    });
    const run = async () => (await doctor.run()) ?? { steps: [], server: null, at: '' };
    const jump = (ms: number) => {
      jumpedMs += ms;
    };
    return { clock, doctor, seen, stopping, run, jump, validations: () => validations };
  }

  it.each([
    ['https://7.lab.org', ['7.lab.org']],
    ['https://lab7', ['lab7']],
    ['https://192.0.2.7', []],
    ['https://[::1]:8443', []],
  ])('looks up the name of %s unless it is an IP address', async (address, resolved) => {
    const { run, seen } = create({ address });
    await run();
    expect(seen.resolved).toEqual(resolved);
  });

  it.each([
    ['https://[::1]:8443', { host: '::1', port: 8443 }],
    ['https://lab.org', { host: 'lab.org', port: 443 }],
    ['http://localhost', { host: 'localhost', port: 80 }],
  ])('connects to the host and port of %s', async (address, target) => {
    const { run, seen } = create({ address });
    await run();
    expect(seen.connected).toEqual([target]);
  });

  it('assumes a direct connection if the proxy cannot be found out', async () => {
    const { run, seen } = create({ network: { findProxy: () => Promise.reject(new Error('no')) } });
    expect(findingsOf(await run())).toMatchObject({ tcp: 'connected', proxy: 'proxy-unknown', api: 'license-server' });
    expect(seen.connected).toEqual([{ host: 'license.lab.org', port: 443 }]);
  });

  it('sends the app’s harmless request, once to tell the time and once for the API', async () => {
    const { run, seen } = create();
    await run();
    const request = {
      method: 'GET',
      url: `${secure}/api/v1/binary-hash`,
      headers: { accept: 'application/json' },
      timeoutMs: 10_000,
      maxResponseBytes: 1024 * 1024,
      signal: expect.any(AbortSignal),
    };
    expect(seen.sent).toEqual([request, request]);
    expect(seen.dates).toBe(0);
  });

  it('trusts the app’s own connection over a certificate that it does not trust itself', async () => {
    const network: Partial<Network> = { secure: async () => ({ ...secured, problem: 'SELF_SIGNED_CERT_IN_CHAIN' }) };
    const { run, seen } = create({ network });
    expect(findingsOf(await run())).toMatchObject({ tls: 'certificate-trusted', api: 'license-server' });
    expect([seen.sent.length, seen.dates]).toEqual([3, 0]);
  });

  it.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 1],
    ['CERT_HAS_EXPIRED', 2],
  ])(
    'asks for the server’s time for the clock, and for a certificate only if its dates are wrong (%s)',
    async (problem, dates) => {
      const { run, seen } = create({
        network: { secure: async () => ({ ...secured, problem }) },
        response: unreachable,
      });
      await run();
      expect([seen.sent.length, seen.dates]).toEqual([1, dates]);
    },
  );

  it('judges the clock by the time that the client trusts if the server does not tell its own', async () => {
    const network: Partial<Network> = {
      secure: async () => ({ ...secured, problem: 'CERT_HAS_EXPIRED' }),
      readDate: async () => null,
    };
    const { clock } = createFakePlatform();
    const ahead = { isClockAhead: true, nowMs: () => clock.now() - 600_000 };
    const behind = { isClockBehind: true, measuredMs: () => clock.now() + 600_000 };
    for (const [trustedTime, finding] of [
      [ahead, 'clock-ahead'],
      [behind, 'clock-behind'],
      [{}, 'clock-unknown'],
    ] as const) {
      const { run } = create({ network, response: unreachable, trustedTime });
      expect(findingsOf(await run())).toMatchObject({ clock: finding });
    }
  });

  it('does not validate the license if the server tells no status to this session', async () => {
    const failure = { code: 'SUBSCRIPTION_INACTIVE', message: '' };
    const { run, validations } = create({ status: { kind: 'error', failure } });
    expect(findingsOf(await run())).toMatchObject({ session: 'session-accepted', license: 'license-unknown' });
    expect(validations()).toBe(0);
  });

  it.each([
    [60_000, 'out-of-time', null],
    [48_000, 'tls-timeout', 12_000],
    [48_001, 'out-of-time', 11_999],
  ])('has what is left of a minute after %d ms', async (passedMs, finding, measured_ms) => {
    const { clock, run, jump, seen } = create({
      network: {
        connect: async () => {
          jump(passedMs);
          return { kind: 'connected', address: '192.0.2.7' };
        },
        secure: never,
      },
    });
    const report = run();
    await clock.advance(12_000);
    expect((await report).steps[3]).toMatchObject({ finding, measured_ms });
    expect(seen.sent).toEqual([]);
  });

  it('has no time of its own if it is skipped, however long it took to find the proxy', async () => {
    const { clock, run } = create({
      network: {
        findProxy: () =>
          new Promise((found) => void clock.setTimer(40, () => found({ route: { kind: 'direct' }, pacUrl: null }))),
        connect: async () => ({ kind: 'failed', code: 'ECONNREFUSED' }),
      },
    });
    const report = run();
    await clock.advance(40);
    expect((await report).steps[4]).toMatchObject({ step: 'proxy', outcome: 'skipped', measured_ms: null });
  });

  it('is shown before it begins, and leaves neither a timer nor a listener', async () => {
    const { clock, run, seen, stopping } = create();
    await run();
    expect(seen.told).toBe(doctorStepNames.length + 1);
    expect(clock.pendingTimers()).toBe(0);
    expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(0);
  });

  it('ends at once when the client stops; there is nothing to cancel before a run', async () => {
    const { clock, doctor, stopping } = create({ network: { connect: never } });
    doctor.cancel();
    const report = doctor.run();
    await clock.advance(10);
    stopping.abort();
    expect(await report).toBeNull();
    expect(clock.pendingTimers()).toBe(0);
  });
});
