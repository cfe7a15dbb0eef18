/**
 * The timeline and the support file: what is recorded, that it is bounded and survives a restart, and that it contains
 * no secret.
 */
import { describe, expect, it } from 'vitest';
import { formatSupportFile } from '../../../electron/licensing/support-file.ts';
import type { Features } from '../../../shared/api/features.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { LeaseSigner } from './lease-signer.ts';
import { errorReply, licenseKey } from './scripted-server.ts';
import {
  licenseDocumentName,
  startActivated,
  startSignedIn,
  startTestClient,
  type TestClient,
} from './start-client.ts';

async function timelineOf({ client }: TestClient) {
  const loaded = await client.loadDiagnostics();
  if (!loaded.ok) throw new Error(loaded.failure.code);
  return loaded.value;
}

async function supportFileOf({ client }: TestClient, options = { days: 7, includeNames: false }) {
  const made = await client.supportFile(options);
  if (!made.ok) throw new Error(made.failure.code);
  return made.value.text;
}

function storedFacts({ platform }: TestClient) {
  return JSON.parse(platform.secrets.values.get(licenseDocumentName(platform)) ?? '{}').facts;
}

/** The features of a plan, and `count` custom ones of the server, of which a different one is off at each `turn`. */
function manyFeatures(count: number, turn: number): Features {
  const own = Array.from({ length: count }, (_, index) => [`own_feature_number_${index}`, index !== turn]);
  return { ...seededPlans.standard, ...Object.fromEntries(own) };
}

describe('the timeline', () => {
  it('records starts, user actions, answers, decisions, sleeps and clock jumps, in order', async () => {
    const testClient = await startSignedIn();
    const { client, platform } = testClient;
    await client.activateLicense({ licenseKey });
    platform.suspend();
    platform.clock.sleep(3_600_000);
    platform.wake();
    platform.clock.setWall(platform.clock.now() + 86_400_000);
    await testClient.sync();
    const { timeline } = await timelineOf(testClient);
    const kinds = timeline.map(({ kind }) => kind);
    expect(kinds[0]).toBe('start');
    expect(kinds.indexOf('sleep')).toBeLessThan(kinds.indexOf('wake'));
    expect(timeline).toContainEqual(
      expect.objectContaining({ kind: 'command', command: 'activateLicense', outcome: 'done' }),
    );
    expect(timeline).toContainEqual(expect.objectContaining({ kind: 'decision', license: 'works' }));
    const jumps = timeline.flatMap((entry) => (entry.kind === 'clock' ? [entry.jumped_ms] : []));
    expect(jumps.map((ms) => Math.round(ms / 3_600_000))).toEqual([1, 24]);
  });

  it('counts repeated answers instead of listing them, and records hours in which the server did not respond', async () => {
    const testClient = await startActivated();
    const { platform } = testClient;
    for (let index = 0; index < 20; index++) await testClient.sync();
    platform.http.cut({ fails: 'unreachable' });
    await testClient.sync();
    const { timeline, connection } = await timelineOf(testClient);
    const heartbeats = timeline.filter((entry) => entry.kind === 'answer' && entry.endpoint === 'heartbeat');
    expect(heartbeats).toMatchObject([
      { outcome: 'success', times: expect.any(Number) },
      { outcome: 'inconclusive', code: 'SERVER_UNREACHABLE', times: 1 },
    ]);
    expect(heartbeats[0]).toHaveProperty('times', 21);
    expect(connection).toHaveLength(1);
    expect(connection[0]).toMatchObject({ hour: '2026-03-03T09:00:00.000Z', failed: 1 });
  });

  it('has the id of the last failed request, as it appears in the log of the server', async () => {
    const testClient = await startActivated();
    for (const id of ['req-1', 'req-2']) {
      testClient.platform.http.on('POST /heartbeat', { status: 500, text: '', headers: { 'x-request-id': id } });
      await testClient.sync();
    }
    const { timeline } = await timelineOf(testClient);
    const failed = timeline.filter((entry) => entry.kind === 'answer' && entry.outcome === 'inconclusive');
    expect(failed).toMatchObject([{ endpoint: 'heartbeat', times: expect.any(Number), request_id: 'req-2' }]);
  });

  it('survives a restart, after which answers are counted from one again', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    const restarted = await testClient.restart();
    await restarted.sync();
    const { timeline } = await timelineOf(restarted);
    expect(timeline.filter(({ kind }) => kind === 'start')).toHaveLength(2);
    expect(timeline.filter(({ kind }) => kind === 'stop')).toHaveLength(1);
    expect(timeline.filter((entry) => entry.kind === 'answer' && entry.endpoint === 'heartbeat')).toHaveLength(2);
  });

  it('is bounded, and keeps the newest entries', async () => {
    const testClient = await startActivated();
    const { client, platform } = testClient;
    for (let index = 0; index < 1100; index++) {
      platform.suspend();
      platform.wake();
    }
    const { timeline } = await timelineOf(testClient);
    expect(timeline).toHaveLength(1000);
    expect(client.getState().license.kind).toBe('works');
  });

  it('is bounded even if the server has very many features and changes them every time', async () => {
    const testClient = await startActivated();
    const { platform, server } = testClient;
    for (let index = 0; index < 60; index++) {
      server.features = manyFeatures(5000, index);
      await testClient.sync();
    }
    const { timeline } = await timelineOf(testClient);
    expect(timeline.at(-1)).toMatchObject({ kind: 'decision' });
    expect(JSON.stringify(timeline).length).toBeLessThan(600_000);
    expect(platform.secrets.values.get('timeline')?.length).toBeLessThan(600_000);
  });

  it('records what answers said, and counts only identical answers as the same', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    testClient.server.plan = 'advanced';
    await testClient.sync();
    const { timeline } = await timelineOf(testClient);
    const validations = timeline.flatMap((entry) => (entry.kind === 'answer' && entry.said?.validation) || []);
    expect(validations.map((validation) => validation.valid && validation.plan)).toEqual(
      expect.arrayContaining(['standard', 'advanced']),
    );
  });

  it('records the known facts at each start, after a sign-in and twice a day, without a key or a person’s name', async () => {
    const testClient = await startActivated();
    const { platform } = testClient;
    await platform.clock.advance(25 * 3_600_000);
    const restarted = await testClient.restart();
    await restarted.sync();
    const { timeline } = await timelineOf(restarted);
    const known = timeline.flatMap((entry) => entry.known ?? []);
    expect(known).toHaveLength(5);
    expect(known[0]).toMatchObject({ account_id: null, key_preview: null });
    expect(known[1]).toMatchObject({ account_id: testClient.server.user.id, key_preview: null });
    expect(known.at(-1)).toMatchObject({ key_preview: 'SVC-AB12...GH7X', license: { localChange: null } });
    const text = JSON.stringify(timeline);
    for (const secret of [licenseKey, testClient.server.refreshToken, 'ada@lab.org', 'Studio Mac', '"Ada"']) {
      expect(text.includes(secret), secret).toBe(false);
    }
  });

  it('of a version that recorded less can still be read', async () => {
    const testClient = await startActivated();
    const restarted = await testClient.restart(({ secrets }) => {
      const stored = JSON.parse(secrets.values.get('timeline') ?? '{}');
      const entries = stored.entries.map(
        ({ known: _known, said: _said, last_monotonic_ms: _last, took_ms: _took, ...entry }: Record<string, unknown>) =>
          entry,
      );
      secrets.values.set('timeline', JSON.stringify({ ...stored, entries }));
    });
    const { timeline } = await timelineOf(restarted);
    expect(timeline.filter(({ kind }) => kind === 'start')).toHaveLength(2);
    expect(timeline.some((entry) => entry.kind === 'answer' && entry.endpoint === 'login')).toBe(true);
  });

  it('is set aside if its document is malformed, and does not keep the client from starting', async () => {
    const testClient = await startActivated();
    const restarted = await testClient.restart((platform) => platform.secrets.values.set('timeline', '{"version":1'));
    const { timeline } = await timelineOf(restarted);
    expect(timeline[0]).toMatchObject({ kind: 'start' });
    await restarted.client.stop();
    expect([...restarted.platform.secrets.values.keys()].join()).toContain('timeline.unreadable-');
  });
});

describe('the support file', () => {
  it('has exactly the promised fields, and says what was decided and why', async () => {
    const testClient = await startActivated();
    const file = JSON.parse(await supportFileOf(testClient));
    expect(Object.keys(file)).toEqual([
      'format',
      'made_at',
      'app',
      'system',
      'server',
      'account',
      'device',
      'license',
      'lease',
      'features',
      'timeline',
      'connection',
      'doctor',
      'settings',
      'store',
      'log',
    ]);
    expect(file).toMatchObject({ format: 1, account: { id: testClient.server.user.id } });
    expect(file.features).toHaveLength(8);
  });

  it('contains no secret, email, full name or host name, wherever they came from', async () => {
    const testClient = await startActivated();
    const { server, platform, client } = testClient;
    server.leases = new LeaseSigner();
    await client.renewLease();
    const { refreshToken } = server;
    platform.http.on('POST /heartbeat', errorReply(500, `Studio Mac of Ada ${refreshToken} ada@lab.org ${licenseKey}`));
    await testClient.sync();
    const text = await supportFileOf(testClient);
    const lease = [...platform.secrets.values.values()].join().match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/)?.[0] ?? 'no lease';
    for (const secret of [refreshToken, licenseKey, lease, ...server.accessTokens, 'ada@lab.org', 'Studio Mac']) {
      expect(text.includes(secret), secret).toBe(false);
    }
    expect(text).not.toMatch(/\bAda\b/);
    expect(JSON.parse(text).lease.claims).toMatchObject({ plan: 'standard' });
    expect(await supportFileOf(testClient, { days: 7, includeNames: true })).not.toContain(licenseKey);
  });

  it('contains no secret or name in another form either, nor the user and password of a URL', async () => {
    const testClient = await startActivated();
    const { platform, client, server } = testClient;
    server.user = { ...server.user, email: 'ada+lab@lab.org', full_name: 'Ada "the first" Lovelace' };
    await client.signIn({ email: 'ada+lab@lab.org', password: 'right' });
    await client.requestLease({ licenseKey: 'OTHER"KEY/1234-abcd' });
    platform.http.on('POST /metrics/api-key', { fails: 'timeout' });
    const generated = client.generateApiKey({ replace: true });
    await platform.clock.advance(60_000);
    await generated;
    const { idempotencyKey } = storedFacts(testClient).pendingApiKey;
    const lines = [
      licenseKey.replaceAll('-', ''),
      licenseKey.replaceAll('-', ' ').toLowerCase(),
      'SVC9K2MXW4T7B3PQ8YH',
      JSON.stringify({ key: 'OTHER"KEY/1234-abcd' }),
      encodeURIComponent('OTHER"KEY/1234-abcd'),
      `?email=${encodeURIComponent('ada+lab@lab.org')}&x%3D${encodeURIComponent('ada+lab@lab.org')}`,
      JSON.stringify({ message: 'of\nAda "the first" Lovelace' }),
      'http://proxy-user:pa55@w0rd@proxy.example:3128/path',
      `the request ${idempotencyKey} and ${idempotencyKey.replaceAll('-', '')}`,
    ];
    Object.assign(platform.log, { recent: async () => lines });
    expect(JSON.parse(await supportFileOf(testClient)).log).toEqual([
      '[redacted]',
      '[redacted]',
      '[redacted]',
      '{"key":"[redacted]"}',
      '[redacted]',
      '?email=<email>&x%3D<email>',
      '{"message":"of\\n<name>"}',
      'http://[redacted]@proxy.example:3128/path',
      'the request [redacted] and [redacted]',
    ]);
  });

  it('contains no secret or name that exceeds the length limit of a pattern', async () => {
    const { client, server } = await startActivated();
    const [token, name] = [`${'t'.repeat(100_000)}.${'"'.repeat(100_000)}`, 'Ada '.repeat(4000)];
    const user = { ...server.user, full_name: name };
    const state = { ...client.getState(), session: { kind: 'signed-in', user, account: null } } as const;
    const log = [`the token ${token}`, JSON.stringify({ token }), `of ${name} himself`];
    const rest = { lease: null, decisions: [], timeline: [], connection: [], doctor: null, system: {}, unreadable: [] };
    const input = { madeAt: '2026-03-03T09:00:00.000Z', state, log, hostName: 'host', secrets: [token], ...rest };
    const text = formatSupportFile({ ...input, days: 7, includeNames: false });
    expect(JSON.parse(text).log).toEqual(['the token [redacted]', '{"token":"[redacted]"}', 'of <name> himself']);
  });

  it('stays valid JSON and keeps its fields, whatever the names of the person, the device and the host', async () => {
    const testClient = await startActivated();
    const { user } = testClient.server;
    testClient.server.user = { ...user, full_name: '1' };
    await testClient.client.signIn({ email: 'ada@lab.org', password: 'right' });
    await testClient.client.renameDevice({ name: 'format "7" \\\\ [a-z]+' });
    const file = JSON.parse(await supportFileOf(testClient));
    expect(file).toMatchObject({ format: 1, connection: expect.any(Array) });
    expect(JSON.stringify(file)).not.toContain('Studio Mac');
  });

  it('is never longer than 1 MiB, whatever the log and the timeline contain', async () => {
    const testClient = await startTestClient();
    const made = {
      madeAt: '2026-03-03T09:00:00.000Z',
      state: testClient.client.getState(),
      lease: null,
      decisions: [],
      timeline: [],
      connection: [],
      doctor: { at: '', steps: [] } as never,
      log: Array.from({ length: 500 }, () => 'ä'.repeat(5000)),
      system: {},
      hostName: 'host',
      unreadable: [],
      secrets: [],
      days: 7,
      includeNames: true,
    };
    const text = formatSupportFile(made);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(JSON.parse(text).log.length).toBeGreaterThan(50);
  });

  it('is never longer than 1 MiB, but has most features, if the server has very many', async () => {
    const testClient = await startActivated();
    const { platform, server } = testClient;
    server.features = manyFeatures(5000, 0);
    server.plan = 'p'.repeat(300_000);
    const more = { title: 'Own', does: '', hidden: false, built_in: false };
    const features = Array.from({ length: 5000 }, (_, index) => ({ name: `another_feature_${index}`, ...more }));
    platform.http.on('GET /features', { json: { features } });
    await testClient.sync();
    expect(testClient.client.getState().features.length).toBeGreaterThan(500);
    expect(testClient.client.getState().features.length).toBeLessThan(1600);
    const text = await supportFileOf(testClient);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(JSON.parse(text).features.length).toBeGreaterThan(500);
  });

  it('omits everything older than requested', async () => {
    const testClient = await startActivated();
    await testClient.platform.clock.advance(3 * 86_400_000);
    const file = JSON.parse(await supportFileOf(testClient, { days: 1, includeNames: false }));
    expect(file.timeline.some(({ kind }: { kind: string }) => kind === 'start')).toBe(false);
    const since = Date.parse(file.made_at) - 86_400_000;
    for (const { at, last_at = at, known } of file.timeline) {
      expect(Date.parse(last_at)).toBeGreaterThanOrEqual(since);
      // A replay begins at such an entry, so nothing after it may be omitted.
      if (known) expect(Date.parse(at)).toBeGreaterThanOrEqual(since);
    }
    expect(file.timeline.some(({ known }: { known?: object }) => known)).toBe(true);
  });
});
