/** The device id: stable, in the format of the API, and without the machine's own id. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DeviceIdentity } from '../../../electron/licensing/device-id.ts';
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
    expect(platform.plain.values.get('device-id')).toBe(first);
  });

  it('is not overwritten while the stored one cannot be read', async () => {
    const platform = createFakePlatform({ machineId: null });
    const first = await loadDeviceId(platform);
    platform.plain.breakRead('device-id', true);
    expect(await loadDeviceId(platform)).not.toBe(first);
    platform.plain.breakRead('device-id', false);
    expect(await loadDeviceId(platform)).toBe(first);
  });

  it('exists even if it cannot be stored', async () => {
    const platform = createFakePlatform({ machineId: null });
    platform.plain.setFailing(true);
    expect(await loadDeviceId(platform)).toMatch(shape);
  });
});
