/** The device id: stable, in the format of the API, and without the machine's own id. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DeviceIdentity } from '../../../electron/licensing/device-id.ts';
import type { StoreRead } from '../../../electron/licensing/platform.ts';
import { createFakePlatform, type FakePlatform } from '../fake-platform.ts';

async function loadDeviceId(platform: FakePlatform): Promise<string> {
  const identity = new DeviceIdentity(platform);
  expect(identity.loadedId).toBeNull();
  await identity.load();
  return identity.id;
}

const shape = /^HW(?:-[0-9A-F]{8}){4}$/;

describe('the device id', () => {
  it('is the same at every start and different on another machine', async () => {
    const first = await loadDeviceId(createFakePlatform());
    expect(first).toMatch(shape);
    expect(await loadDeviceId(createFakePlatform())).toBe(first);
    expect(await loadDeviceId(createFakePlatform({ machineId: 'another' }))).not.toBe(first);
  });

  it('is neither a plain digest of the machine id nor part of it', async () => {
    const platform = createFakePlatform();
    const machineId = '0123456789abcdef0123456789abcdef';
    const plain = createHash('sha256').update(machineId).digest('hex');
    const id = (await loadDeviceId(platform)).slice(3).replaceAll('-', '').toLowerCase();
    expect(plain).not.toContain(id);
    expect(machineId).not.toContain(id.slice(0, 8));
  });

  it('accepts any text as the machine id', async () => {
    expect(await loadDeviceId(createFakePlatform({ machineId: 'Gerät №1 \u{1F600}' }))).toMatch(shape);
  });

  it('is random and stored if the machine has no id of its own', async () => {
    const platform = createFakePlatform({ machineId: null });
    const first = await loadDeviceId(platform);
    expect(first).toMatch(shape);
    expect(await loadDeviceId(platform)).toBe(first);
    expect(platform.plain.values.get('device-id')).toContain(first);
  });

  it('is not overwritten while the stored one cannot be read', async () => {
    const platform = createFakePlatform({ machineId: null });
    const first = await loadDeviceId(platform);
    platform.plain.breakRead('device-id', true);
    expect(await loadDeviceId(platform)).not.toBe(first);
    platform.plain.breakRead('device-id', false);
    expect(await loadDeviceId(platform)).toBe(first);
  });

  it('is set aside if it is damaged, and its random replacement stays the same at every start', async () => {
    const damaged = '{"version":1,"deviceId":"HW-00000001-000';
    const platform = createFakePlatform({ machineId: null, plainValues: new Map([['device-id', damaged]]) });
    const id = await loadDeviceId(platform);
    expect(await loadDeviceId(platform)).toBe(id);
    expect([...platform.plain.values.values()]).toContain(damaged);
  });

  it('of a newer version is not overwritten either', async () => {
    const newer = JSON.stringify({ version: 2, min_reader: 2, anything: 1 });
    const platform = createFakePlatform({ plainValues: new Map([['device-id', newer]]) });
    expect(await loadDeviceId(platform)).toMatch(shape);
    expect(platform.plain.values.get('device-id')).toBe(newer);
  });

  it('exists even if it cannot be stored', async () => {
    const platform = createFakePlatform({ machineId: null });
    platform.plain.setFailing(true);
    expect(await loadDeviceId(platform)).toMatch(shape);
  });
});

/** Loads the same profile at a start at which reading the machine's id gives `machineId`. */
async function loadWith(before: FakePlatform, machineId: StoreRead, waitMs = 0) {
  const { clock, plain, secrets, machine, random, log, subtle } = before;
  const reads = { count: 0 };
  const readMachineId = async () => {
    reads.count++;
    return machineId;
  };
  const identity = new DeviceIdentity({
    clock,
    plain,
    secrets,
    random,
    log,
    subtle,
    machine: { ...machine, readMachineId },
  });
  const loading = identity.load();
  await clock.advance(waitMs);
  await loading;
  return { id: identity.id, source: identity.source, reads: reads.count };
}

describe('a machine id that cannot be read', () => {
  const failed = { kind: 'unreadable', message: 'EIO' } as const;
  const readable = { kind: 'value', value: '0123456789abcdef0123456789abcdef' } as const;

  it.each([failed, { kind: 'absent' } as const])('at one start leaves the device id unchanged: $kind', async (now) => {
    const platform = createFakePlatform();
    const first = await loadWith(platform, readable);
    expect(first.source).toBe('machine');
    expect(await loadWith(platform, now)).toMatchObject({ id: first.id, source: 'remembered' });
    expect(await loadWith(platform, readable)).toMatchObject({ id: first.id, source: 'machine' });
  });

  it('and never was is retried before the device gets a random id, which then stays', async () => {
    const platform = createFakePlatform();
    const random = await loadWith(platform, failed, 3000);
    expect(random).toMatchObject({ source: 'random', reads: 4 });
    expect(await loadWith(platform, readable)).toMatchObject({ id: random.id, source: 'random' });
  });

  it.each(['random', 'machine'])('is not replaced by an id that was written into the settings (%s)', async (source) => {
    const deviceId = 'HW-00000001-00000002-00000003-00000004';
    const plainValues = new Map([['device-id', JSON.stringify({ version: 1, deviceId, source })]]);
    const platform = createFakePlatform({ plainValues });
    const own = await loadWith(createFakePlatform(), readable);
    expect(await loadWith(platform, readable)).toMatchObject({ id: own.id, source: 'machine' });
    // Nor once the line was written again, nor with the record that another random id left.
    await loadWith(createFakePlatform({ secretValues: platform.secrets.values }), failed, 3000);
    expect(platform.secrets.values.has('device-id')).toBe(true);
    platform.plain.values.set('device-id', JSON.stringify({ version: 1, deviceId, source }));
    expect(await loadWith(platform, readable)).toMatchObject({ id: own.id, source: 'machine' });
  });

  it('for long keeps the random id once it can be read, but not on another machine with a copy of the profile', async () => {
    const platform = createFakePlatform();
    const random = await loadWith(platform, { kind: 'absent' });
    expect(random.source).toBe('random');
    expect(await loadWith(platform, readable)).toMatchObject({ id: random.id, source: 'random' });
    const other = { kind: 'value', value: 'fedcba9876543210fedcba9876543210' } as const;
    const copy = createFakePlatform({
      plainValues: new Map(platform.plain.values),
      secretValues: new Map(platform.secrets.values),
    });
    const copied = await loadWith(copy, other);
    expect(copied.source).toBe('machine');
    expect(copied.id).not.toBe(random.id);
    expect(await loadWith(platform, readable)).toMatchObject({ id: random.id, source: 'random' });
    expect(await loadWith(platform, failed)).toMatchObject({ id: random.id, source: 'random' });
  });

  it('any more keeps the random id, also after a start with a locked keyring', async () => {
    const platform = createFakePlatform();
    const random = await loadWith(platform, failed, 3000);
    platform.secrets.breakRead('device-id', true);
    expect(await loadWith(platform, readable)).toMatchObject({ source: 'machine' });
    platform.secrets.breakRead('device-id', false);
    expect(await loadWith(platform, readable)).toMatchObject({ id: random.id, source: 'random' });
  });

  it('only at the first attempt still gives the machine’s own device id', async () => {
    const platform = createFakePlatform();
    const { id } = await loadWith(createFakePlatform(), readable);
    const answers: StoreRead[] = [failed, readable];
    const readMachineId = async () => answers.shift() ?? failed;
    const identity = new DeviceIdentity({ ...platform, machine: { ...platform.machine, readMachineId } });
    const loading = identity.load();
    await platform.clock.advance(200);
    await loading;
    expect(identity).toMatchObject({ id, source: 'machine' });
  });

  it('does not carry over to another machine with a copy of the profile', async () => {
    const platform = createFakePlatform();
    const first = await loadWith(platform, readable);
    const other = await loadWith(platform, { kind: 'value', value: 'fedcba9876543210fedcba9876543210' });
    expect(other.source).toBe('machine');
    expect(other.id).not.toBe(first.id);
  });

  it('was replaced by a random id in earlier versions, which is ignored if the machine has one', async () => {
    const earlier = 'HW-00000001-00000002-00000003-00000004';
    const start = () => createFakePlatform({ plainValues: new Map([['device-id', earlier]]) });
    expect(await loadWith(start(), { kind: 'absent' })).toMatchObject({ id: earlier, source: 'random' });
    expect(await loadWith(start(), readable)).toMatchObject({ source: 'machine' });
  });
});

describe('what is stored of the device id', () => {
  const readable = { kind: 'value', value: '0123456789abcdef0123456789abcdef' } as const;
  const other = { kind: 'value', value: 'fedcba9876543210fedcba9876543210' } as const;
  const absent = { kind: 'absent' } as const;
  const stored = ({ plain }: FakePlatform) => JSON.parse(plain.values.get('device-id') ?? 'null');
  const names = ({ plain, secrets }: FakePlatform) => [[...plain.values.keys()], [...secrets.values.keys()]];

  it('is there before it is used, and not before it is loaded', () => {
    const identity = new DeviceIdentity(createFakePlatform());
    expect(() => identity.id).toThrow('The device id is not loaded yet.');
    expect([identity.loadedId, identity.source]).toEqual([null, null]);
  });

  it('is the same with the real Web Crypto', async () => {
    const platform = createFakePlatform();
    expect(await loadDeviceId({ ...platform, subtle: crypto.subtle as never })).toBe(await loadDeviceId(platform));
  });

  it('is written once, with nothing secret for an id of the machine', async () => {
    const platform = createFakePlatform();
    const { id } = await loadWith(platform, readable);
    expect(stored(platform)).toEqual({ version: 1, min_reader: 1, deviceId: id, source: 'machine' });
    await loadWith(platform, readable);
    expect(platform.plain.writes).toHaveLength(1);
    expect(names(platform)).toEqual([['device-id'], []]);
    const second = await loadWith(platform, other);
    expect(stored(platform)).toMatchObject({ deviceId: second.id, source: 'machine' });
    expect(names(platform)).toEqual([['device-id'], []]);
  });

  it('is confirmed once for a random id, and again once the machine has one', async () => {
    const platform = createFakePlatform();
    const { id } = await loadWith(platform, absent);
    await loadWith(platform, absent);
    expect([platform.plain.writes.length, platform.secrets.writes.length]).toEqual([1, 1]);
    for (let starts = 0; starts < 2; starts++) await loadWith(platform, readable);
    expect([platform.plain.writes.length, platform.secrets.writes.length]).toEqual([1, 2]);
    expect(stored(platform)).toMatchObject({ deviceId: id, source: 'random' });
  });

  it('of earlier versions gets its source', async () => {
    const earlier = 'HW-00000001-00000002-00000003-00000004';
    const platform = createFakePlatform({ plainValues: new Map([['device-id', earlier]]) });
    await loadWith(platform, absent);
    expect(stored(platform)).toMatchObject({ deviceId: earlier, source: 'random' });
  });

  it('becomes that of the machine if a random id was never confirmed', async () => {
    const deviceId = 'HW-00000001-00000002-00000003-00000004';
    const text = JSON.stringify({ version: 1, deviceId, source: 'random' });
    const platform = createFakePlatform({ plainValues: new Map([['device-id', text]]) });
    const { id } = await loadWith(platform, readable);
    expect(stored(platform)).toMatchObject({ deviceId: id, source: 'machine' });
  });

  it('stays that of a random id while its confirmation cannot be read', async () => {
    const platform = createFakePlatform();
    const { id } = await loadWith(platform, absent);
    platform.secrets.breakRead('device-id', true);
    await loadWith(platform, readable);
    expect(stored(platform)).toMatchObject({ deviceId: id, source: 'random' });
  });

  it.each([
    ['damaged', 1],
    ['{"version":2,"min_reader":1,"deviceId":"HW-00000001-00000002-00000003-00000004","machineDeviceId":null}', 1],
    ['{"version":1,"deviceId":"HW-00000001-00000002-00000003-00000004","machineDeviceId":null}', 0],
  ])('sets aside an earlier confirmation that cannot be kept: %s', async (text, kept) => {
    const platform = createFakePlatform({ secretValues: new Map([['device-id', text]]) });
    await loadWith(platform, absent);
    expect([...platform.secrets.values.keys()].filter((name) => name !== 'device-id')).toHaveLength(kept);
  });

  it('of a newer version that can be read is used and not overwritten', async () => {
    const deviceId = 'HW-00000001-00000002-00000003-00000004';
    const text = JSON.stringify({ version: 2, min_reader: 1, deviceId, source: 'machine' });
    const platform = createFakePlatform({ plainValues: new Map([['device-id', text]]) });
    await loadWith(platform, readable);
    expect(platform.plain.writes).toEqual([]);
    expect(platform.logged).toEqual([
      'the stored device id cannot be read or is of a newer version; it is not overwritten {}',
    ]);
  });

  it('is missing on a full disk, which is logged', async () => {
    const platform = createFakePlatform();
    platform.plain.setFailing(true);
    platform.secrets.setFailing(true);
    await loadWith(platform, absent);
    expect(platform.logged).toEqual([
      'the device id could not be confirmed for later starts {}',
      'the device id could not be stored {}',
    ]);
  });

  it('is used while that of the machine cannot be read, which is logged', async () => {
    const platform = createFakePlatform();
    await loadWith(platform, readable);
    await loadWith(platform, absent);
    expect(platform.logged).toEqual(['the machine id cannot be read; the remembered device id is used {}']);
  });
});
