/** The device id: stable, in the interface's shape, and nothing of the machine's own id in it. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadDeviceId } from '../../../electron/licensing/device-id.ts';
import { createFakePlatform } from '../fake-platform.ts';

const shape = /^HW(?:-[0-9A-F]{8}){4}$/;

describe('the device id', () => {
  it('is the same at every start and another on another machine', async () => {
    const first = await loadDeviceId(createFakePlatform());
    expect(first).toMatch(shape);
    expect(await loadDeviceId(createFakePlatform())).toBe(first);
    expect(await loadDeviceId(createFakePlatform({ machineId: 'another' }))).not.toBe(first);
  });

  it('is no plain digest of the machine id, nor the id itself', async () => {
    const platform = createFakePlatform();
    const machineId = '0123456789abcdef0123456789abcdef';
    const plain = createHash('sha256').update(machineId).digest('hex');
    const id = (await loadDeviceId(platform)).slice(3).replaceAll('-', '').toLowerCase();
    expect(plain).not.toContain(id);
    expect(machineId).not.toContain(id.slice(0, 8));
  });

  it('takes any text for a machine id', async () => {
    expect(await loadDeviceId(createFakePlatform({ machineId: 'Gerät №1 \u{1F600}' }))).toMatch(shape);
  });

  it('is random and kept where the machine has no id of its own', async () => {
    const platform = createFakePlatform({ machineId: null });
    const first = await loadDeviceId(platform);
    expect(first).toMatch(shape);
    expect(await loadDeviceId(platform)).toBe(first);
    expect(platform.plain.values.get('device-id')).toBe(first);
  });

  it('that is kept and cannot be read is not overwritten', async () => {
    const platform = createFakePlatform({ machineId: null });
    const first = await loadDeviceId(platform);
    platform.plain.breakRead('device-id', true);
    expect(await loadDeviceId(platform)).not.toBe(first);
    platform.plain.breakRead('device-id', false);
    expect(await loadDeviceId(platform)).toBe(first);
  });

  it('is there even where it cannot be kept', async () => {
    const platform = createFakePlatform({ machineId: null });
    platform.plain.refuse(true);
    expect(await loadDeviceId(platform)).toMatch(shape);
  });
});
