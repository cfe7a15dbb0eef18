/**
 * Every action of the desktop meets every fault of the network: the app draws no conclusions from it, nobody is signed
 * out or unlicensed, and once the fault is over the same action succeeds, with nothing done twice.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { type NetworkFault, networkFaults, oneOfEachKind, redirectedPath } from '../harness/network-faults.ts';
import { writeReleaseFile } from '../harness/releases.ts';
import { type DesktopAct, desktopActs } from './desktop-acts.ts';
import { FaultyDesktop } from './faulty-desktop.ts';

vi.setConfig({ maxConcurrency: 32 });

const server = sharedHttpServer();

beforeAll(async () => {
  const file = writeReleaseFile(server.dataFolder, '99.0.0', 'App.AppImage', '99.0.0');
  await server.admin('installer', 'publish', '99.0.0', '--feed', '--linux-amd64', file);
});

/** Returns the session and features of the user, which a fault must not take away. */
function entitlement({ client }: FaultyDesktop) {
  const { session, features } = client.getState();
  return { session: session.kind, on: features.flatMap(({ feature, on }) => (on ? [feature] : [])) };
}

/** Returns the operations that are still in progress. */
function underWay({ client }: FaultyDesktop) {
  const { syncing, devices, doctor, installer, keyScan, updates } = client.getState();
  const kinds = [installer.kind, keyScan.kind].filter((kind) => kind === 'verifying' || kind === 'scanning');
  return [syncing, devices.loading, doctor?.running ?? null, updates.working, ...kinds].filter(Boolean);
}

async function meet(desktop: FaultyDesktop, act: DesktopAct, path: string, fault: NetworkFault): Promise<void> {
  const { proxy } = desktop;
  const why = `${act.name}, ${path}, ${fault.name}`;
  await act.prepare?.(desktop);
  const before = entitlement(desktop);
  proxy.inject(fault.meet, { path });
  const exit = await act.run(desktop);
  expect(proxy.faulted, why).toBeGreaterThan(0);
  const { exits = [4] } = act;
  expect(path === act.paths[0] ? exits : [0, act.goodExit, ...exits], why).toContain(exit);
  if (exit !== 0) expect(entitlement(desktop), why).toEqual(before);
  expect(entitlement(desktop).on, why).toEqual(expect.arrayContaining(before.on));
  // A scheduled sync may be affected by the fault, too.
  // Not a poll of expect, which belongs to one test: several desktops meet their faults at once.
  await vi.waitFor(() => expect(underWay(desktop), why).toEqual([]), 60_000);
  expect(proxy.paths.filter((each) => each.startsWith(redirectedPath))).toEqual([]);

  proxy.clear();
  // The app waits if the server asked for it; a restart clears that.
  if (fault.kind === 'wait') await desktop.restart();
  expect(await act.run(desktop), `${why}: afterwards`).toBe(act.goodExit ?? 0);
  await act.check(desktop);
  expect(entitlement(desktop).session, why).toBe('signed-in');
}

async function meetAll(act: DesktopAct, path: string, faults: readonly NetworkFault[]): Promise<void> {
  const desktop = await FaultyDesktop.start(server);
  try {
    for (const fault of faults) await meet(desktop, act, path, fault);
  } finally {
    await desktop.stop();
  }
}

describe.concurrent('faults of the network', { timeout: 300_000 }, () => {
  const stalls = networkFaults.filter(({ kind }) => kind === 'stall');
  const others = networkFaults.filter(({ kind }) => kind !== 'stall');

  it.each(desktopActs.flatMap((act) => stalls.map((fault) => ({ act, fault, name: act.name }))))(
    '$name survives $fault.name',
    ({ act, fault }) => meetAll(act, act.paths[0], [fault]),
  );

  it.each(desktopActs)('$name survives every other fault', (act) => meetAll(act, act.paths[0], others));

  it.each(desktopActs.flatMap((act) => act.paths.slice(1).map((path) => ({ act, path, name: act.name }))))(
    '$name survives a fault at $path',
    ({ act, path }) => meetAll(act, path, oneOfEachKind),
  );

  it('a lease request is created and the lease imported whatever the network does', async () => {
    const desktop = await FaultyDesktop.start(server);
    try {
      await desktop.client.signOut({ allDevices: false });
      const file = join(desktop.folder, 'request.json');
      for (const fault of networkFaults) {
        desktop.proxy.inject(fault.meet);
        const made = await desktop.command('lease request', { license_key: desktop.license.key });
        expect(made, fault.name).toMatchObject({ exit: 0, value: { request: { device_id: desktop.deviceId } } });
        writeFileSync(file, JSON.stringify((made as { value: { request: object } }).value.request));
        await server.admin('lease', 'sign', file, '--out', `${file}.lease`);
        const text = readFileSync(`${file}.lease`, 'utf8');
        expect(await desktop.command('lease import', { text }), fault.name).toMatchObject({ exit: 0 });
        const { session, license, lease } = desktop.client.getState();
        expect([session.kind, license.kind, lease.state], fault.name).toEqual(['signed-out', 'works', 'good']);
      }
    } finally {
      await desktop.stop();
    }
  });
});
