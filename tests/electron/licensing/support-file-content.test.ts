/** What the support file contains of the client's state, which entries it has, and what is removed from its texts. */
import { describe, expect, it } from 'vitest';
import { formatSupportFile } from '../../../electron/licensing/support-file.ts';
import type { AppState } from '../../../shared/ipc/app-state.ts';
import { startActivated, startTestClient } from './start-client.ts';

const madeAt = '2026-03-10T09:00:00.000Z';
const dayMs = 86_400_000;
type Input = Parameters<typeof formatSupportFile>[0];

async function inputOf(more: Partial<Input> = {}): Promise<Input> {
  const { client } = await startActivated();
  return {
    madeAt,
    state: client.getState(),
    lease: null,
    decisions: [],
    timeline: [],
    connection: [{ hour: madeAt, answered: 2, failed: 1 }],
    doctor: null,
    log: [],
    system: { electron: '40.0.0' },
    hostName: 'studio.local',
    unreadable: ['session'],
    secrets: [],
    days: 7,
    includeNames: false,
    ...more,
  };
}

const entryAt = (at: string) => ({ kind: 'command', command: '', outcome: 'done', at, monotonic_ms: 1 }) as const;

const parse = (input: Input) => JSON.parse(formatSupportFile(input));
const logOf = async (text: string, more: Partial<Input> = {}) => parse(await inputOf({ log: [text], ...more })).log[0];

describe('the support file', () => {
  it('has what the client shows of the app, the server, the account, the device, the license and the store', async () => {
    const input = await inputOf();
    const { app, server, lease, license, settings, thisDevice, clock, session } = input.state;
    expect(parse(input)).toEqual({
      format: 1,
      made_at: madeAt,
      app: { version: app.version, runtime: app.runtime },
      system: { platform: app.platform, electron: '40.0.0', clock },
      server: {
        address: server.address,
        reachability: 'online',
        last_answer_at: server.lastAnswerAt,
        leases: server.leases,
      },
      account: { id: session.kind === 'signed-in' ? session.user.id : '' },
      device: { device_id: thisDevice?.deviceId, source: 'machine' },
      license: { state: license, key_preview: 'SVC-AB12...GH7X', activated: true },
      lease: { ...lease, claims: null },
      features: [],
      timeline: [],
      connection: input.connection,
      doctor: null,
      settings: JSON.parse(JSON.stringify(settings)),
      store: { secret_storage: 'keyring', unreadable: ['session'] },
      log: [],
    });
  });

  it('has no account, device or key where there is none', async () => {
    const { client } = await startTestClient();
    const state: AppState = { ...client.getState(), thisDevice: null };
    expect(parse(await inputOf({ state }))).toMatchObject({
      account: null,
      device: { device_id: null, source: null },
      license: { key_preview: null },
    });
  });

  it('has the last 500 lines of the log, and the first 10,000 characters of each text', async () => {
    const lines = Array.from({ length: 501 }, (_, index) => `line ${index}`);
    const { log } = parse(await inputOf({ log: lines }));
    expect([log.length, log[0]]).toEqual([500, 'line 1']);
    expect(await logOf('x'.repeat(10_001))).toHaveLength(10_000);
  });

  it('keeps the newest three quarters of what is too long, as often as needed', async () => {
    const log = Array.from({ length: 400 }, (_, index) => `${index}`.padEnd(4000, '.'));
    const kept = parse(await inputOf({ log })).log;
    expect([kept.length, kept.at(-1)?.slice(0, 3)]).toEqual([225, '399']);
    const at = '2026-03-09T09:00:00.000Z';
    const timeline = Array.from({ length: 8000 }, (_, index) => ({ ...entryAt(at), command: `${index}` }));
    const { timeline: left } = parse(await inputOf({ timeline }));
    expect([left.length, left.at(-1)?.command]).toEqual([6000, '7999']);
  });

  it('may have 1 MiB, and more only if nothing is left to drop', async () => {
    const input = await inputOf();
    const write = (log: readonly string[]) => formatSupportFile({ ...input, log });
    const lines = Array.from({ length: 116 }, () => 'x'.repeat(9000));
    const room = 1024 * 1024 - write([...lines, '']).length;
    const exact = write([...lines, 'x'.repeat(room)]);
    expect(exact).toHaveLength(1024 * 1024);
    expect(JSON.parse(exact).log).toHaveLength(117);
    expect(JSON.parse(write([...lines, 'x'.repeat(room + 1)])).log).toHaveLength(87);
    const connection = Array.from({ length: 20_000 }, () => ({ hour: madeAt, answered: 2, failed: 1 }));
    expect(formatSupportFile({ ...input, connection }).length).toBeGreaterThan(1024 * 1024);
  });
});

describe('the entries since a time', () => {
  const since = Date.parse(madeAt) - 7 * dayMs;
  const entry = (atMs: number, command: string) => ({ ...entryAt(new Date(atMs).toISOString()), command });
  const answer = (atMs: number, lastMs: number) =>
    ({
      kind: 'answer',
      endpoint: 'about',
      outcome: 'success',
      code: null,
      server_time: null,
      times: 2,
      at: new Date(atMs).toISOString(),
      last_at: new Date(lastMs).toISOString(),
      monotonic_ms: 1,
      known: { account_id: 'a-1' },
    }) as never;

  it('begin with the first one of that time, and have all after it, whatever their time is', async () => {
    const timeline = [entry(since - 1, 'before'), entry(since, 'first'), entry(since - dayMs, 'wrong clock')];
    const { timeline: kept } = parse(await inputOf({ timeline }));
    expect(kept.map(({ command }: { command: string }) => command)).toEqual(['first', 'wrong clock']);
  });

  it('have an earlier answer that was repeated since, without what was known at first', async () => {
    const timeline = [answer(since - dayMs, since - 1), answer(since - dayMs, since), answer(since, since)];
    const { timeline: kept } = parse(await inputOf({ timeline }));
    expect(kept.map(({ known }: { known?: object }) => known)).toEqual([undefined, { account_id: 'a-1' }]);
    expect(parse(await inputOf({ timeline: timeline.slice(0, 2) })).timeline).toHaveLength(1);
    expect(parse(await inputOf({ timeline: [entry(since - 1, 'before')] })).timeline).toEqual([]);
  });
});

describe('the texts', () => {
  it('have no secret of six characters or more, in any case', async () => {
    const secrets = ['Secret', 'short'];
    expect(await logOf('a SECRET and shortening', { secrets })).toBe('a [redacted] and shortening');
  });

  it('have no key without its hyphens or with spaces, and keep what only looks like one', async () => {
    const secrets = ['SVC-AB12-CD34', 'with space-here'];
    expect(await logOf('SVCAB12CD34, SVC AB12 CD34, withspacehere, with spacehere', { secrets })).toBe(
      '[redacted], [redacted], withspacehere, with spacehere',
    );
  });

  it('have no secret escaped for JSON or a URL', async () => {
    const secrets = ['qu"o/te'];
    expect(await logOf(String.raw`qu\"o/te qu%22o%2Fte qu"o/te`, { secrets })).toBe('[redacted] [redacted] [redacted]');
    expect(await logOf('ending\\\\, ending\\', { secrets: ['ending\\'] })).toBe('[redacted], [redacted]');
  });

  it('have no secret of up to 1,000 characters in other letter case, and no longer one as it is', async () => {
    for (const length of [1000, 1001]) {
      const secret = 'aB'.repeat(length).slice(0, length);
      const text = length > 1000 ? secret : secret.toUpperCase();
      expect(await logOf(`a ${text}`, { secrets: [secret] })).toBe('a [redacted]');
    }
  });

  it('have no email, name or host of a signed-in user, the longest first, unless they are wanted', async () => {
    const { state } = await inputOf();
    const user = { id: 'ada', email: 'ada@studio.local', full_name: 'Ada' };
    const named: AppState = {
      ...state,
      session: { kind: 'signed-in', user, account: null },
      thisDevice: state.thisDevice && { ...state.thisDevice, name: 'Ada’s Mac' },
    };
    const text = 'ada@studio.local on Ada’s Mac (studio.local), Ada; Adafruit';
    expect(await logOf(text, { state: named })).toBe('<email> on <host> (<host>), <name>; Adafruit');
    expect(await logOf(text, { state: named, includeNames: true })).toBe(text);
  });

  it.each([
    [{ kind: 'signed-out', reason: 'session-revoked', email: 'ada@lab.org' }, '<email>'],
    [{ kind: 'signed-out', reason: null }, 'ada@lab.org'],
    [{ kind: 'starting' }, 'ada@lab.org'],
  ] as const)('have no email of a session that has ended: %j', async (session, expected) => {
    const { state } = await inputOf();
    expect(await logOf('ada@lab.org', { state: { ...state, session } })).toBe(expected);
  });
});
