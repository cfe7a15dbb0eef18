/** The desktop on a full or read-only disk: what is stored stays complete, and everything works during and after it. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canMount, fillDisk, mountDisk, remountDisk } from '../harness/small-disk.ts';
import { StoredDesktop, StoredWorld } from './stored-desktop.ts';

async function start(world: StoredWorld, folder: string): Promise<StoredDesktop> {
  const desktop = await StoredDesktop.start(world, folder);
  onTestFinished(() => desktop.stop());
  return desktop;
}

/** Returns the content of every file below the folder. */
function contentsOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}

describe.skipIf(!canMount)('the desktop', () => {
  it('on a full disk loses nothing, turns nothing off, and saves again once there is space', async () => {
    const disk = mountDisk(1024);
    const profile = join(disk, 'profile');
    const world = new StoredWorld();
    const desktop = await start(world, profile);
    await desktop.recover();
    const { on } = desktop;
    expect(on.length).toBeGreaterThan(3);
    await desktop.stop();
    const before = contentsOf(profile);
    const ballast = fillDisk(disk, 0);

    const full = await start(world, profile);
    expect([full.sessionKind, full.on]).toEqual(['signed-in', on]);
    expect(await full.client.changeSettings({ heartbeatIntervalSeconds: 900 })).toMatchObject({
      failure: { code: 'STORE_UNAVAILABLE', fileProblem: 'disk-full' },
    });
    expect(await full.client.renameDevice({ name: 'Bench 7' })).toMatchObject({
      failure: { code: 'STORE_UNAVAILABLE', fileProblem: 'disk-full' },
    });
    await full.client.syncNow();
    expect([full.sessionKind, full.on]).toEqual(['signed-in', on]);
    await full.stop();
    expect(contentsOf(profile)).toEqual(before);

    rmSync(ballast);
    const later = await start(world, profile);
    expect(await later.client.syncNow()).toMatchObject({ ok: true });
    expect(await later.client.renameDevice({ name: 'Bench 8' })).toMatchObject({ ok: true });
    expect([later.sessionKind, later.licenseKind, later.on]).toEqual(['signed-in', 'works', on]);
    await later.stop();
    const status = await (await start(world, profile)).status();
    expect(status).toMatchObject({ session: 'signed-in', device: { name: 'Bench 8' }, store: { unreadable: [] } });
  });

  it('on a full disk and without a profile can be used until it is closed', async () => {
    const disk = mountDisk(1024);
    const profile = join(disk, 'profile');
    fillDisk(disk, 0);
    const desktop = await start(new StoredWorld(), profile);
    await desktop.recover();
    expect([desktop.sessionKind, desktop.licenseKind]).toEqual(['signed-in', 'works']);
    expect(desktop.client.getState().session).toMatchObject({ isUnsaved: true, fileProblem: 'disk-full' });
  });

  it('on a read-only disk starts, works from what is stored, changes nothing, and continues once it can write', async () => {
    const disk = mountDisk(1024);
    const profile = join(disk, 'profile');
    const world = new StoredWorld();
    const desktop = await start(world, profile);
    await desktop.recover();
    const { on } = desktop;
    await desktop.stop();
    const before = contentsOf(profile);
    remountDisk(disk, 'ro');

    const readOnly = await start(world, profile);
    expect([readOnly.sessionKind, readOnly.licenseKind, readOnly.on]).toEqual(['signed-in', 'works', on]);
    await readOnly.client.syncNow();
    expect(await readOnly.client.changeSettings({ heartbeatIntervalSeconds: 900 })).toMatchObject({
      failure: { fileProblem: 'read-only' },
    });
    expect([readOnly.sessionKind, readOnly.on]).toEqual(['signed-in', on]);
    await readOnly.stop();
    expect(contentsOf(profile)).toEqual(before);

    remountDisk(disk, 'rw');
    const later = await start(world, profile);
    expect(await later.client.syncNow()).toMatchObject({ ok: true });
    expect([later.sessionKind, later.licenseKind, later.on]).toEqual(['signed-in', 'works', on]);
  });
});
