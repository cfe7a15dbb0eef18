/** Support files of clients with all kinds of histories: in a replay, the client shows again what each file says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seededPlans } from '../../shared/seeded-features.ts';
import { createFakePlatform, type Reply, settle } from '../electron/fake-platform.ts';
import { LeaseSigner } from '../electron/licensing/lease-signer.ts';
import { errorReply, licenseKey, ScriptedServer } from '../electron/licensing/scripted-server.ts';
import { startTestClient, type TestClient } from '../electron/licensing/start-client.ts';
import { type Action, perform } from './actions.ts';
import { parseSupportFile, type SupportFile } from './support/read-support-file.ts';
import { replaySupportFile } from './support/replay-support-file.ts';
import { tellSupportFile } from './support/tell-support-file.ts';
import { World } from './world.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** A client, and the difference between its machine's clock and the true time. */
type Machine = { test: TestClient; wrongMs: number };
type History = (machine: Machine) => Promise<unknown>;

const ada = { email: 'ada@lab.org', password: 'correct horse battery' };

async function activate({ test }: Machine): Promise<void> {
  await test.client.signIn(ada);
  await test.platform.clock.advance(2000);
  await test.client.activateLicense({ licenseKey });
  await test.platform.clock.advance(5000);
}

/** Simulates some minutes of use every two hours, with sleep in between. */
async function use({ test }: Machine, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 2) {
    await test.platform.clock.advance(12 * minuteMs);
    test.platform.suspend();
    test.platform.clock.sleep(108 * minuteMs);
    test.platform.wake();
  }
  await test.platform.clock.advance(minuteMs);
}

async function restart(machine: Machine, offMs: number): Promise<void> {
  const { clock } = machine.test.platform;
  machine.test = await machine.test.restart(() => clock.reboot(offMs));
  await clock.advance(5000);
}

function setClock(machine: Machine, byMs: number): void {
  const { clock } = machine.test.platform;
  clock.setWall(clock.now() + byMs);
  machine.wrongMs += byMs;
}

const cut = ({ test }: Machine) => test.platform.http.cut({ fails: 'unreachable' });
const mend = ({ test }: Machine) => test.platform.http.cut(null);

const histories: Readonly<Record<string, History>> = {
  'a normal week': async (machine) => {
    await activate(machine);
    await use(machine, 24);
    await restart(machine, 10 * hourMs);
    await use(machine, 48);
  },
  'another plan': async (machine) => {
    await activate(machine);
    await use(machine, 3);
    machine.test.server.plan = 'advanced';
    machine.test.server.features = seededPlans.advanced;
    await use(machine, 3);
  },
  'a license that is revoked': async (machine) => {
    await activate(machine);
    await use(machine, 3);
    machine.test.server.invalidCode = 'LICENSE_REVOKED';
    await use(machine, 2);
  },
  'offline until nothing works any more': async (machine) => {
    await activate(machine);
    await use(machine, 2);
    cut(machine);
    await use(machine, 8 * 24);
  },
  'offline, and back': async (machine) => {
    await activate(machine);
    cut(machine);
    await use(machine, 30);
    mend(machine);
    await use(machine, 2);
  },
  'a clock that is set back while offline': async (machine) => {
    await activate(machine);
    cut(machine);
    await use(machine, 5);
    setClock(machine, -20 * dayMs);
    await use(machine, 5);
  },
  'a clock that is ahead, and a restart': async (machine) => {
    await activate(machine);
    setClock(machine, 3 * hourMs);
    await use(machine, 2);
    cut(machine);
    await restart(machine, 30 * hourMs);
    await use(machine, 2);
  },
  'a session that has ended': async (machine) => {
    await activate(machine);
    await use(machine, 4);
    machine.test.platform.http.on('POST /auth/refresh', errorReply(401, 'TOKEN_EXPIRED'));
    await use(machine, 3);
  },
  'a released device': async (machine) => {
    await activate(machine);
    await use(machine, 1);
    const { client, platform } = machine.test;
    await client.listDevices();
    const own = client.getState().devices.value?.find(({ isThisDevice }) => isThisDevice);
    await client.releaseDevice({ activationId: own?.activationId ?? '' });
    await platform.clock.advance(minuteMs);
  },
  'a person who has signed out': async (machine) => {
    await activate(machine);
    await use(machine, 1);
    await machine.test.client.signOut({ allDevices: false });
    await machine.test.platform.clock.advance(minuteMs);
  },
  'answers that were lost': async (machine) => {
    await activate(machine);
    const { http, clock } = machine.test.platform;
    let calls = 0;
    const fail = (): Reply => (calls++ % 3 === 0 ? { fails: 'timeout' } : errorReply(503, 'SERVICE_UNAVAILABLE'));
    for (const route of ['POST /heartbeat', 'POST /license/validate']) http.on(route, fail);
    await clock.advance(2 * hourMs);
  },
  'an app that ran for longer than the file tells': async (machine) => {
    await activate(machine);
    await use(machine, 9 * 24);
  },
};

async function makeSupportFile(history: History, signer: LeaseSigner | null, isPinned = false): Promise<SupportFile> {
  const platform = createFakePlatform();
  const server = new ScriptedServer(platform);
  server.leases = signer;
  const pinned = signer && isPinned ? ({ from: 'built-in', keys: [signer.jwk] } as const) : undefined;
  const machine: Machine = { test: await startTestClient(platform, server, undefined, pinned), wrongMs: 0 };
  platform.http.sendDate(() => platform.clock.now() - machine.wrongMs);
  await history(machine);
  await settle();
  const made = machine.test.client.supportFile({ days: 7, includeNames: false });
  await machine.test.platform.clock.advance(2000);
  const file = await made;
  await machine.test.client.stop();
  return parseSupportFile(file.ok ? file.value.text : '');
}

/** Leases last for four days. */
const createSigner = () => new LeaseSigner('lease-1', 4 * 86_400);

async function replayText(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'support-file-'));
  const path = join(folder, 'support.json');
  writeFileSync(path, text);
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const exitCode = await tellSupportFile(path, { log: note, error: note });
  rmSync(folder, { recursive: true });
  return { exitCode, told: lines.join('\n') };
}

const names = Object.keys(histories);
/** The slowest histories are replayed only with the clients for which they differ. */
const shortNames = names.filter((name) => !/until|longer/.test(name));

describe.each([
  ['without leases', false, false, names],
  ['with leases', true, false, shortNames],
  ['with leases of keys that the app was built with', true, true, names],
] as const)('a support file of a client %s', (_mode, hasLeases, isPinned, tried) => {
  it.each(tried)('can be replayed: %s', async (name) => {
    const file = await makeSupportFile(histories[name] as History, hasLeases ? createSigner() : null, isPinned);
    const { differences, story, unasked } = await replaySupportFile(file);
    expect(differences, story.join('\n')).toEqual([]);
    expect(unasked).toBeLessThan(3);
  });
});

/**
 * With a real server and network: machines lose responses, sleep, crash and have wrong clocks while staff change the
 * license.
 */
const simulated: readonly Action[] = [
  { kind: 'activate', seat: 0 },
  { kind: 'activate', seat: 1 },
  { kind: 'pass', minutes: 20 },
  { kind: 'network', seat: 0, quality: 'lossy' },
  { kind: 'pass', minutes: 20 },
  { kind: 'skip', hours: 30 },
  { kind: 'pass', minutes: 20 },
  { kind: 'crash', seat: 0 },
  { kind: 'skip', hours: 5 },
  { kind: 'sync', seat: 0 },
  { kind: 'billing', account: 0, plan: 'advanced', status: 'active', delayMinutes: 0, isRepeated: false },
  { kind: 'set-clock', seat: 0, byMs: 3 * hourMs },
  { kind: 'network', seat: 1, quality: 'captive-portal' },
  { kind: 'pass', minutes: 20 },
  { kind: 'restart-app', seat: 0 },
  { kind: 'revoke', account: 1 },
  { kind: 'network', seat: 1, quality: 'good' },
  { kind: 'server', offMinutes: 10 },
  { kind: 'pass', minutes: 20 },
];

it('a support file of each simulated machine can be replayed', async () => {
  const world = await World.create({ seed: 1, devices: 2 });
  for (const action of simulated) {
    await perform(world, action);
    await world.time.settle();
  }
  const texts: string[] = [];
  for (const { machine } of world.seats) {
    const made = await world.time.finish(machine.client.supportFile({ days: 7, includeNames: false }), 5 * minuteMs);
    texts.push(made.ok ? made.value.text : '');
  }
  await world.close();
  for (const text of texts) {
    const { exitCode, told } = await replayText(text);
    expect(exitCode, told).toBe(0);
    expect(told).toContain('activateLicense, done');
  }
});

describe('the output of npm run simulate -- --support', () => {
  it('tells the story, and that the client shows what the file says', async () => {
    const file = await makeSupportFile(histories['a license that is revoked'] as History, createSigner());
    const { exitCode, told } = await replayText(JSON.stringify(file));
    expect(exitCode, told).toBe(0);
    expect(told).toMatch(/the person: activateLicense, done.* on: .*csv_export.*license: blocked \(revoked\)/s);
    expect(told).toMatch(/off \(license\): .*csv_export/);
    expect(told).toContain('the machine was asleep for 108 minutes');
    expect(told).toMatch(/steps: the client shows what the file says\.$/);
  });

  it('says how far a clock was set', async () => {
    const { told } = await replayText(
      JSON.stringify(await makeSupportFile(histories['a clock that is set back while offline'] as History, null)),
    );
    expect(told).toContain('the clock was set back by 480 hours');
  });

  it('escapes what the file contains, so that it cannot control the terminal', async () => {
    const file = await makeSupportFile(histories['a normal week'] as History, null);
    const sequences = '\u001b]52;c;bXkgdGV4dA==\u0007\u009b2J\u202e\n';
    const features = file.features.map((each) => ({ ...each, feature: each.feature + sequences }));
    const timeline = file.timeline.map((entry) =>
      entry.kind === 'answer' && entry.endpoint === 'heartbeat'
        ? { ...entry, outcome: 'error' as const, code: sequences }
        : entry,
    );
    const { exitCode, told } = await replayText(JSON.stringify({ ...file, features, timeline }));
    expect(exitCode).toBe(1);
    expect(told).toContain('heartbeat: error, \\u001b]52;c;');
    expect(told).toContain('csv_export\\u001b]52;c;');
    expect(told.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('is the same each time', async () => {
    const file = await makeSupportFile(histories['offline, and back'] as History, createSigner());
    expect(await replaySupportFile(file)).toStrictEqual(await replaySupportFile(file));
  });

  it('lists each difference if the file ends with something else', async () => {
    const file = await makeSupportFile(histories['another plan'] as History, createSigner());
    const license = { ...file.license, state: { ...file.license.state, plan: 'free' } };
    const features = file.features.map((each) => (each.feature === 'csv_export' ? { ...each, on: false } : each));
    const edited = { ...file, license, features };
    const { exitCode, told } = await replayText(JSON.stringify(edited));
    expect(exitCode).toBe(1);
    expect(told).toContain('license.plan: the file says "free", the client "advanced"');
    expect(told).toContain('csv_export.on: the file says false, the client true');
  });

  it('lists a difference if a response in the file contains something else', async () => {
    const file = await makeSupportFile(histories['a license that is revoked'] as History, createSigner());
    const timeline = file.timeline.map((entry) =>
      entry.kind === 'answer' && entry.said?.validation?.valid === false
        ? { ...entry, said: { validation: { valid: false, error: '', code: 'LICENSE_EXPIRED' } as const } }
        : entry,
    );
    const { differences } = await replaySupportFile({ ...file, timeline });
    expect(differences).toEqual(['license.reason: the file says "revoked", the client "expired"']);
  });

  it.each([
    ['is no JSON', 'not a support file', 'This is no support file of the client.'],
    ['is something else', '{"format": 7}', 'This is no support file of the client (format:'],
  ])('is one sentence if the file %s', async (_what, text, sentence) => {
    const { exitCode, told } = await replayText(text);
    expect(exitCode).toBe(2);
    expect(told).toContain(sentence);
    expect(told).toContain('latchkey support --out FILE');
  });

  it('is one sentence if the file is missing or from a version that recorded too little', async () => {
    const file = await makeSupportFile(histories['a person who has signed out'] as History, null);
    const timeline = file.timeline.map(({ known: _, ...entry }) => entry);
    const earlier = await replayText(JSON.stringify({ ...file, timeline }));
    expect(earlier).toMatchObject({ exitCode: 2, told: expect.stringContaining('save the file again') });
    const lines: string[] = [];
    const output = { log: () => undefined, error: (line: string) => void lines.push(line) };
    expect(await tellSupportFile('/no/such/file.json', output)).toBe(2);
    expect(lines.join()).toContain('cannot be read (ENOENT)');
  });
});
