/** The window shows the state that was last pushed to it, also when a lease ends that no sync renews. */
import { describe, expect, it } from 'vitest';
import { features } from '../../../shared/api/features.ts';
import type { AppState } from '../../../shared/ipc/app-state.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { ScriptedServer } from './scripted-server.ts';
import { licenseDocumentName, startTestClient } from './start-client.ts';
import { type Leased, startLeased } from './start-leased.ts';

const dayMs = 86_400_000;

const signer = new LeaseSigner('lease-1', 2 * 86_400);
const pinned = { from: 'built-in', keys: [signer.jwk] } as const;

/** Starts a device that is never online, with an imported lease of two days. */
async function startImported() {
  const platform = createFakePlatform();
  const test = await startTestClient(platform, new ScriptedServer(platform), 'http://127.0.0.1:8470', pinned);
  let pushed: AppState | undefined;
  test.client.subscribe((state) => {
    pushed = state;
  });
  const about = {
    sub: '019300aa-0000-7000-8000-000000000001',
    device_id: test.client.getState().thisDevice?.deviceId ?? '',
    license: 'SVC-AB12...GH7X',
    plan: 'standard',
    features: features.parse(seededPlans.standard),
  };
  const { lease: text } = signer.sign(about, platform.clock.now());
  expect(await test.client.importLease({ text })).toMatchObject({ ok: true });
  await platform.clock.advance(1000);
  return { ...test, pushed: () => pushed?.features.filter(({ on }) => on).length };
}

describe('the end of a lease while nobody is signed in', () => {
  it('turns the features off in the window when it occurs', async () => {
    const { platform, client, on, pushed } = await startImported();
    expect(pushed()).toBe(on().length);
    await platform.clock.advance(2 * dayMs - 2000);
    expect(pushed()).toBeGreaterThan(0);
    await platform.clock.advance(2000);
    expect(pushed()).toBe(0);
    await client.stop();
    expect(platform.clock.pendingTimers()).toBe(0);
  });

  it('turns them off as soon as the machine wakes, if it was asleep at the time', async () => {
    const { platform, client, pushed } = await startImported();
    platform.suspend();
    platform.clock.sleep(3 * dayMs);
    platform.wake();
    await platform.clock.advance(10);
    expect(pushed()).toBe(0);
    await client.stop();
  });

  it('is noticed within an hour if the system does not report waking', async () => {
    const { platform, client, pushed } = await startImported();
    platform.clock.sleep(3 * dayMs);
    await platform.clock.advance(dayMs / 24);
    expect(pushed()).toBe(0);
    await client.stop();
  });

  it('comes after the lease’s lifetime of use, even if each use takes less than an hour, and the clock starts over then', async () => {
    let { platform, client, on } = await startImported();
    const importedAtMs = platform.clock.now();
    const useMs = dayMs / 32;
    for (let use = 1; use <= 65; use++) {
      expect(on().length > 0).toBe(use <= 64);
      await platform.clock.advance(useMs);
      await client.stop();
      const { secrets, plain } = platform;
      platform = createFakePlatform({ secretValues: new Map(secrets.values), plainValues: new Map(plain.values) });
      platform.clock.reboot();
      platform.clock.setWall(importedAtMs);
      const server = new ScriptedServer(platform);
      ({ client, on } = await startTestClient(platform, server, 'http://127.0.0.1:8470', pinned));
    }
  });

  it('is postponed by at most an hour a day on a machine that loses power daily and whose clock starts over', async () => {
    let { platform, on } = await startImported();
    const importedAtMs = platform.clock.now();
    for (let day = 1; day <= 3; day++) {
      expect(on().length > 0).toBe(day <= 2);
      await platform.clock.advance(dayMs);
      // The old client is left running, not stopped.
      const { secrets, plain } = platform;
      platform = createFakePlatform({
        secretValues: new Map(secrets.values),
        plainValues: new Map(plain.values),
      });
      platform.clock.reboot();
      platform.clock.setWall(importedAtMs);
      ({ on } = await startTestClient(platform, new ScriptedServer(platform), 'http://127.0.0.1:8470', pinned));
      await platform.clock.advance(dayMs / 24);
    }
  });
});

describe('the end of a lease while somebody is signed in', () => {
  /** Starts a device that gets leases of this lifetime from its server, after a sync. */
  async function startSynced(ttlSeconds: number): Promise<Leased> {
    const test = await startLeased({ pinned: true, ttlSeconds });
    await test.platform.clock.advance(10_000);
    expect(await test.sync()).toMatchObject({ ok: true });
    return test;
  }

  const writtenLicenses = ({ platform }: Leased) => {
    const name = licenseDocumentName(platform);
    return platform.secrets.writes.filter((write) => write.name === name).length;
  };

  it('is shown when it occurs if the next sync comes later', async () => {
    const { client, platform, sync } = await startSynced(600);
    const json = { error: 'Wait.', code: 'RATE_LIMITED' };
    platform.http.cut({ status: 429, headers: { 'retry-after': '3000' }, json });
    await sync();
    const shown: boolean[] = [];
    client.subscribe(({ features }) => shown.push(features.some(({ on }) => on)));
    await platform.clock.advance(580_000);
    expect(shown).not.toContain(false);
    await platform.clock.advance(20_000);
    expect(shown.at(-1)).toBe(false);
    await client.stop();
  });

  it('is left to the next sync if that comes earlier, which needs no other timer and writes nothing more', async () => {
    const test = await startSynced(2 * 86_400);
    expect(test.platform.clock.pendingTimers()).toBe(1);
    const written = writtenLicenses(test);
    await test.client.stop();
    expect(writtenLicenses(test)).toBe(written);
  });

  it('is left to a sync that is running', async () => {
    const test = await startSynced(2 * 86_400);
    const respond = test.platform.http.hold('POST /heartbeat');
    void test.client.syncNow();
    await test.platform.clock.advance(0);
    const written = writtenLicenses(test);
    test.platform.wake();
    await test.platform.clock.advance(0);
    expect(writtenLicenses(test)).toBe(written);
    respond({ json: { success: true, timestamp: '2026-03-03T09:00:00.000Z' } });
    await test.client.stop();
  });
});
