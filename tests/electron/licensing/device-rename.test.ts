/**
 * Renaming this device takes effect immediately, is stored, and is sent when the server can be reached and still has
 * the device.
 */
import { describe, expect, it } from 'vitest';
import { createFakePlatform } from '../fake-platform.ts';
import { activationId, errorReply, licenseKey, ScriptedServer } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient, type TestClient } from './start-client.ts';

const offline = { fails: 'unreachable' } as const;
const nameOf = ({ client }: TestClient) => client.getState().thisDevice?.name;
const sentNames = ({ platform }: TestClient) =>
  platform.http.to('/license/activate').map(({ body }) => JSON.parse(body ?? '{}').device_name);

describe('a new name of this device', () => {
  it('is shown immediately and sent with an activation of the same device', async () => {
    const test = await startActivated();
    const loadsOfDevices = () => test.platform.http.to('/license/activations').length;
    const before = loadsOfDevices();
    expect(await test.client.renameDevice({ name: '  Lab bench 4 ' })).toEqual({ ok: true, value: null });
    expect(loadsOfDevices()).toBe(before + 1);
    expect(nameOf(test)).toBe('Lab bench 4');
    expect(sentNames(test)).toEqual(['Studio Mac', 'Lab bench 4']);
    expect(test.client.getState().thisDevice).toMatchObject({ isNameGiven: true, activated: true });
    expect(test.client.getState().activity).toContainEqual(
      expect.objectContaining({ kind: 'device-renamed', detail: 'Lab bench 4' }),
    );
    await test.sync();
    expect(sentNames(test)).toHaveLength(2);
  });

  it('is known after a restart, and not sent again', async () => {
    const first = await startActivated();
    await first.client.renameDevice({ name: 'Lab bench 4' });
    const again = await first.restart();
    await again.sync();
    expect(nameOf(again)).toBe('Lab bench 4');
    expect(sentNames(again)).toHaveLength(2);
  });

  it('that is empty restores the host name, on the server as well', async () => {
    const test = await startActivated();
    await test.client.renameDevice({ name: 'Lab bench 4' });
    await test.client.renameDevice({ name: '   ' });
    expect(nameOf(test)).toBe('Studio Mac');
    expect(test.client.getState().thisDevice).toMatchObject({ isNameGiven: false });
    expect(sentNames(test)).toEqual(['Studio Mac', 'Lab bench 4', 'Studio Mac']);
  });

  it('given offline is sent by a later sync, also after a restart', async () => {
    const first = await startActivated();
    first.platform.http.cut(offline);
    const renamed = first.client.renameDevice({ name: 'Lab bench 4' });
    await first.platform.clock.advance(2000);
    expect(await renamed).toEqual({ ok: true, value: null });
    expect(nameOf(first)).toBe('Lab bench 4');
    expect(sentNames(first)).toEqual(['Studio Mac']);
    const again = await first.restart();
    again.platform.http.cut(null);
    await again.sync();
    expect(sentNames(again)).toEqual(['Studio Mac', 'Lab bench 4']);
  });

  it('does not reactivate a device that was released meanwhile', async () => {
    const test = await startActivated();
    test.server.activated = false;
    expect(await test.client.renameDevice({ name: 'Lab bench 4' })).toEqual({ ok: true, value: null });
    await test.sync();
    expect(sentNames(test)).toEqual(['Studio Mac']);
    expect(test.server.activated).toBe(false);
    await test.client.activateLicense({ licenseKey: '' });
    expect(sentNames(test)).toEqual(['Studio Mac', 'Lab bench 4']);
  });

  it('that the server already has is not sent', async () => {
    const test = await startActivated();
    await test.sync();
    const before = test.platform.http.requests.length;
    expect(await test.client.renameDevice({ name: '' })).toEqual({ ok: true, value: null });
    expect(test.platform.http.requests).toHaveLength(before);
  });

  it('does not reactivate a device that is released while its license is being validated', async () => {
    const test = await startActivated();
    await test.sync();
    const { platform, client } = test;
    const license = { plan: 'standard', status: 'active', activations: 1, max_activations: 3, can_activate: true };
    const { promise, resolve } = Promise.withResolvers<void>();
    platform.http.on('POST /license/validate', async () => {
      await promise;
      return { json: { valid: true, ...license, already_activated_on_device: true, features: test.server.features } };
    });
    const renamed = client.renameDevice({ name: 'Lab bench 4' });
    await platform.clock.advance(1);
    await client.releaseDevice({ activationId });
    resolve();
    expect(await renamed).toEqual({ ok: true, value: null });
    expect(sentNames(test)).toEqual(['Studio Mac']);
  });

  it('whose answer is lost does not reactivate a device that is released before the next try', async () => {
    const test = await startActivated();
    await test.sync();
    test.platform.http.on('POST /license/activate', () => {
      // The server has taken the name, its answer is lost, and then somebody releases this device.
      test.server.activated = false;
      test.platform.http.on('POST /license/activate', () => {
        test.server.activated = true;
        return errorReply(503, 'SERVICE_UNAVAILABLE');
      });
      return offline;
    });
    const renamed = test.client.renameDevice({ name: 'Lab bench 4' });
    await test.platform.clock.advance(5000);
    expect(await renamed).toEqual({ ok: true, value: null });
    await test.sync();
    expect(test.server.activated).toBe(false);
  });

  it('that could not be sent because the server failed is sent by a later sync', async () => {
    const test = await startActivated();
    await test.sync();
    test.platform.http.on('POST /license/activate', errorReply(503, 'SERVICE_UNAVAILABLE'));
    const renamed = test.client.renameDevice({ name: 'Lab bench 4' });
    await test.platform.clock.advance(5000);
    expect(await renamed).toEqual({ ok: true, value: null });
    const before = sentNames(test).length;
    await test.sync();
    expect(sentNames(test).length).toBeGreaterThan(before);
  });

  it('loads the list of devices only if the server has one and accepted the name', async () => {
    const test = await startActivated();
    await test.sync();
    const listed = () => test.platform.http.to('/license/activations').length;
    test.platform.http.on('POST /license/activate', errorReply(400, 'VALIDATION_ERROR'));
    const before = listed();
    await test.client.renameDevice({ name: 'refused' });
    expect(listed()).toBe(before);
    const other = await startTestClient();
    other.server.lists = false;
    await other.client.signIn({ email: 'ada@lab.org', password: 'right' });
    await other.client.activateLicense({ licenseKey });
    await other.sync();
    const requested = other.platform.http.to('/license/activations').length;
    await other.client.renameDevice({ name: 'Lab bench 4' });
    expect(sentNames(other)).toEqual(['Studio Mac', 'Lab bench 4']);
    expect(other.platform.http.to('/license/activations')).toHaveLength(requested);
  });

  it('is not sent while the license cannot be validated', async () => {
    const test = await startActivated();
    await test.sync();
    test.platform.http.on('POST /license/validate', {
      status: 503,
      json: { error: 'Busy.', code: 'SERVICE_UNAVAILABLE' },
    });
    const renamed = test.client.renameDevice({ name: 'Lab bench 4' });
    await test.platform.clock.advance(5000);
    expect(await renamed).toMatchObject({ ok: true });
    await test.sync();
    expect(sentNames(test)).toEqual(['Studio Mac']);
  });

  it('that the server refuses is reported, and not sent again', async () => {
    const test = await startActivated();
    const refusal = { error: 'No such name.', code: 'VALIDATION_ERROR' };
    test.platform.http.on('POST /license/activate', { status: 400, json: refusal });
    expect(await test.client.renameDevice({ name: 'x' })).toMatchObject({ failure: { code: 'VALIDATION_ERROR' } });
    await test.sync();
    expect(sentNames(test)).toHaveLength(2);
    expect(nameOf(test)).toBe('x');
  });

  it('given before the activation is sent with it', async () => {
    const test = await startSignedIn();
    await test.client.renameDevice({ name: 'Lab bench 4' });
    expect(sentNames(test)).toEqual([]);
    await test.client.activateLicense({ licenseKey: test.server.key });
    await test.sync();
    expect(sentNames(test)).toEqual(['Lab bench 4']);
  });
});

describe('a name', () => {
  it.each([
    { name: 'x'.repeat(200), kept: true },
    { name: '🖥'.repeat(200), kept: true },
    { name: `  ${'x'.repeat(200)}  `, kept: true },
    { name: 'x'.repeat(201), kept: false },
  ])('of at most 200 characters is accepted: $name.length units', async ({ name, kept }) => {
    const test = await startTestClient();
    expect(await test.client.renameDevice({ name })).toMatchObject({ ok: kept });
    expect(nameOf(test)).toBe(kept ? name.trim() : 'Studio Mac');
  });

  it('that is too long is refused with the limit', async () => {
    const test = await startTestClient();
    const failure = { code: 'VALIDATION_ERROR', message: 'A name has at most 200 characters.' };
    expect(await test.client.renameDevice({ name: 'x'.repeat(201) })).toMatchObject({ failure });
  });

  it('that could not be stored is reported as such', async () => {
    const test = await startTestClient();
    test.platform.plain.setFailing(true);
    await test.platform.clock.advance(1000);
    const shown: (string | undefined)[] = [];
    test.client.subscribe((state) => shown.push(state.thisDevice?.name));
    const failure = { code: 'STORE_UNAVAILABLE', message: 'The name could not be stored.' };
    expect(await test.client.renameDevice({ name: 'x' })).toMatchObject({ failure });
    await test.platform.clock.advance(1);
    expect(shown.at(-1)).toBe('x');
  });

  it('cannot contain a null character, which no database stores', async () => {
    const test = await startTestClient();
    await test.client.renameDevice({ name: 'Lab\0bench' });
    expect(nameOf(test)).toBe('Labbench');
  });

  it('of a newer version that can be read is used, and set aside with what else it says by the next one', async () => {
    const plainValues = new Map([['device-name', '{"version":2,"min_reader":1,"name":"Bench","icon":"desk"}']]);
    const platform = createFakePlatform({ plainValues });
    const test = await startTestClient(platform, new ScriptedServer(platform));
    expect(nameOf(test)).toBe('Bench');
    await test.client.renameDevice({ name: 'x' });
    expect([...plainValues.values()].join()).toContain('"icon":"desk"');
  });

  it('stored by a newer version is set aside, not overwritten', async () => {
    const plainValues = new Map([['device-name', '{"version":2,"min_reader":2,"label":"Bench"}']]);
    const platform = createFakePlatform({ plainValues });
    const test = await startTestClient(platform, new ScriptedServer(platform));
    expect(nameOf(test)).toBe('Studio Mac');
    await test.client.renameDevice({ name: 'x' });
    expect([...plainValues.values()].join()).toContain('"label":"Bench"');
    expect(nameOf(await test.restart())).toBe('x');
  });

  it('that is damaged is logged, replaced by the host name, and set aside by the next one', async () => {
    const plainValues = new Map([['device-name', '{"version":1']]);
    const platform = createFakePlatform({ plainValues });
    const test = await startTestClient(platform, new ScriptedServer(platform));
    expect(nameOf(test)).toBe('Studio Mac');
    expect(platform.logged.join()).toContain('the name of this device cannot be read; that of the host is used');
    await test.client.renameDevice({ name: 'x' });
    expect([...plainValues.values()]).toContain('{"version":1');
    await test.client.renameDevice({ name: 'y' });
    expect([...plainValues.keys()].filter((name) => name.startsWith('device-name'))).toHaveLength(2);
  });

  it('that was stored is neither logged nor set aside', async () => {
    const plainValues = new Map([['device-name', '{"version":1,"min_reader":1,"name":"Bench"}']]);
    const platform = createFakePlatform({ plainValues });
    const test = await startTestClient(platform, new ScriptedServer(platform));
    expect(nameOf(test)).toBe('Bench');
    await test.client.renameDevice({ name: 'x' });
    expect(platform.logged.filter((line) => line.includes('name of this device'))).toEqual([]);
    expect([...plainValues.keys()].filter((name) => name.startsWith('device-name'))).toHaveLength(1);
  });
});
