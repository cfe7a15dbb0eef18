/** Importing a lease file into the whole client. */
import { describe, expect, it } from 'vitest';
import { createFakePlatform } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { ScriptedServer } from './scripted-server.ts';
import { startTestClient, type TestClient } from './start-client.ts';
import { about, dayMs, type Leased, pin, startLeased } from './start-leased.ts';

describe('importing a lease', () => {
  /** Starts a machine that is never online, with an app that has the keys built in. */
  async function startOffline(): Promise<Leased> {
    const platform = createFakePlatform();
    const server = new ScriptedServer(platform);
    platform.http.cut({ fails: 'unreachable' });
    const signer = new LeaseSigner();
    const testClient = await startTestClient(platform, server, 'http://127.0.0.1:8470', pin(signer));
    return { ...testClient, signer };
  }

  it('turns everything on without anybody signed in, also after a restart', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const { lease } = signer.sign(about(testClient), platform.clock.now() - dayMs);
    const text = `\uFEFF${lease.slice(0, 40)}\r\n  ${lease.slice(40)}\n`;
    expect(await client.readLease({ text })).toMatchObject({ ok: true, value: { plan: 'standard' } });
    expect(on()).toEqual([]);
    expect(await client.importLease({ text })).toMatchObject({ ok: true });
    expect(client.getState()).toMatchObject({ session: { kind: 'signed-out' }, license: { kind: 'works' } });
    expect(on()).toHaveLength(6);
    const restarted = await testClient.restart();
    expect(restarted.on()).toHaveLength(6);
    expect(restarted.client.getState().activity[0]).toMatchObject({ kind: 'lease-imported' });
  });

  it('is stored by the time that the client has stopped, if it had begun before', async () => {
    const testClient = await startOffline();
    const { client, platform, signer } = testClient;
    const { lease: text } = signer.sign(about(testClient), platform.clock.now());
    void client.importLease({ text });
    await client.start();
    await client.stop();
    expect([...platform.secrets.values.values()].join()).toContain(text);
  });

  it('turns everything on for the lease’s lifetime of machine uptime, whatever the clock says at boot', async () => {
    const testClient = await startOffline();
    const { client, platform, signer } = testClient;
    const { lease: text } = signer.sign(about(testClient), platform.clock.now());
    expect(await client.importLease({ text })).toMatchObject({ ok: true });
    const importedAtMs = platform.clock.now();
    let running: TestClient = testClient;
    for (let day = 1; day <= 15; day++) {
      expect(running.on()).toHaveLength(day <= 14 ? 6 : 0);
      await platform.clock.advance(dayMs);
      running = await running.restart(({ clock }) => {
        clock.reboot();
        clock.setWall(importedAtMs);
      });
    }
  });

  it('of another account grants nothing at any moment while somebody is signed in, and takes effect again after the sign-out', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const ofBob = about(testClient, { sub: 'bob' });
    expect(await client.importLease({ text: signer.sign(ofBob, platform.clock.now()).lease })).toMatchObject({
      ok: true,
    });
    expect(on()).toHaveLength(6);
    platform.http.cut(null);
    const onWhileSignedIn: number[] = [];
    const { write } = platform.secrets;
    Object.assign(platform.secrets, {
      write: (name: string, value: string) => {
        if (client.getState().session.kind === 'signed-in') onWhileSignedIn.push(on().length);
        return write(name, value);
      },
    });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await platform.clock.advance(5000);
    expect(Math.max(...onWhileSignedIn)).toBe(0);
    await client.signOut({ allDevices: false });
    const restarted = await testClient.restart();
    expect(restarted.on()).toHaveLength(6);
  });

  it('of another account neither shows nor stores the previous account’s activity, nor adds its own to it', async () => {
    const testClient = await startLeased({ pinned: true });
    const { client, platform, signer } = testClient;
    await testClient.sync();
    await client.signOut({ allDevices: false });
    const ofBob = about(testClient, { sub: 'bob' });
    expect(await client.importLease({ text: signer.sign(ofBob, platform.clock.now()).lease })).toMatchObject({
      ok: true,
    });
    const kinds = () => client.getState().activity.map(({ kind }) => kind);
    expect(kinds()).toEqual(['lease-imported']);
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    expect(kinds()).toContain('device-activated');
    expect(kinds()).not.toContain('lease-imported');
  });

  it.each<[string, (testClient: Leased) => string, string]>([
    ['a text that is none', () => 'hello', 'malformed'],
    ['nothing', () => '', 'malformed'],
    [
      'more than 16 KiB',
      ({ signer, ...rest }) => `${'\n'.repeat(17_000)}${signer.sign(about(rest), 0).lease}`,
      'malformed',
    ],
    [
      'one for another device',
      (t) =>
        t.signer.sign({ ...about(t), device_id: 'HW-00000000-00000000-00000000-00000000' }, t.platform.clock.now())
          .lease,
      'other_device',
    ],
    [
      'one of another key',
      (t) => new LeaseSigner('lease-9').sign(about(t), t.platform.clock.now()).lease,
      'unknown_key',
    ],
    ['a forged one', (t) => new LeaseSigner('lease-1').sign(about(t), t.platform.clock.now()).lease, 'wrong_signature'],
  ])('refuses %s, and changes nothing', async (_, make, problem) => {
    const testClient = await startOffline();
    const before = JSON.stringify([...testClient.platform.secrets.values]);
    const result = await testClient.client.importLease({ text: make(testClient) });
    expect(result).toMatchObject({ ok: false, failure: { code: 'LEASE_REFUSED', problem } });
    expect(JSON.stringify([...testClient.platform.secrets.values])).toBe(before);
    expect(testClient.on()).toEqual([]);
  });

  it('refuses an older lease, a lease of another account while somebody is signed in, and an expired lease', async () => {
    const testClient = await startLeased({ pinned: true });
    const { client, platform, signer } = testClient;
    const problemOf = async (text: string) => {
      const result = await client.importLease({ text });
      return result.ok ? null : result.failure.problem;
    };
    const nowMs = platform.clock.now();
    expect(await problemOf(signer.sign(about(testClient), nowMs - dayMs).lease)).toBe('older');
    const sub = '01890000-0000-7000-8000-00000000000b';
    expect(await problemOf(signer.sign(about(testClient, { sub }), nowMs).lease)).toBe('other_account');
    testClient.server.invalidCode = 'LICENSE_REVOKED';
    await testClient.sync();
    expect(await problemOf(signer.sign(about(testClient), nowMs - 60_000).lease)).toBe('older');
    expect(testClient.on()).toEqual([]);
    testClient.server.invalidCode = null;
    const short = new LeaseSigner('lease-1', 60);
    expect(short.jwk.kid).toBe(signer.jwk.kid);
    signer.ttlSeconds = 60;
    const expiring = signer.sign(about(testClient), platform.clock.now()).lease;
    await platform.clock.advance(120_000);
    expect(await problemOf(expiring)).toBe('expired');
  });

  it('that is refused leaves another account’s lease in use', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const nowMs = platform.clock.now();
    await client.importLease({ text: signer.sign(about(testClient), nowMs).lease });
    const ofBob = signer.sign(about(testClient, { sub: 'bob' }), nowMs - 30 * dayMs).lease;
    expect(await client.importLease({ text: ofBob })).toMatchObject({ failure: { problem: 'expired' } });
    expect(on()).toHaveLength(6);
    expect(client.getState().activity[0]).toMatchObject({ kind: 'lease-imported' });
  });

  it('that has expired does not count again if the clock and then the server are changed', async () => {
    const testClient = await startLeased();
    const { client, platform, signer, on } = testClient;
    const importedAtMs = platform.clock.now();
    platform.http.cut({ fails: 'unreachable' });
    await client.signOut({ allDevices: false });
    const { lease: text } = signer.sign(about(testClient), importedAtMs);
    expect(await client.importLease({ text })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    await platform.clock.advance(14 * dayMs);
    expect(on()).toEqual([]);
    platform.clock.setWall(importedAtMs);
    await client.setServerAddress({ address: 'https://other.example' });
    expect(on()).toEqual([]);
  });

  it('corrects a clock that was ahead on a machine that is never online, but only once', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const trueMs = platform.clock.now();
    platform.clock.setWall(trueMs + 400 * dayMs);
    const { lease } = signer.sign(about(testClient), trueMs);
    expect(await client.importLease({ text: lease })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('ahead');
    await platform.clock.advance(14 * dayMs);
    expect(on()).toEqual([]);
    expect(await client.importLease({ text: lease })).toMatchObject({ failure: { problem: 'expired' } });
  });

  it('from a server whose clock was ahead gives way to a correct lease, and cannot be imported again', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const ahead = signer.sign(about(testClient), Date.parse('2102-01-01T00:00:00.000Z')).lease;
    expect(await client.importLease({ text: ahead })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    await platform.clock.advance(dayMs);
    const right = signer.sign(about(testClient), platform.clock.now()).lease;
    expect(await client.importLease({ text: right })).toMatchObject({ ok: true });
    expect(client.getState()).toMatchObject({ lease: { state: 'good' }, clock: 'in-sync' });
    await platform.clock.advance(14 * dayMs);
    expect(on()).toEqual([]);
    expect(await client.importLease({ text: right })).toMatchObject({ failure: { problem: 'expired' } });
    expect(await client.importLease({ text: ahead })).toMatchObject({ failure: { problem: 'expired' } });
    expect(on()).toEqual([]);
  });

  it('corrects a clock that is behind', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const { lease } = signer.sign(about(testClient), platform.clock.now() + 30 * dayMs);
    expect(await client.importLease({ text: lease })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('behind');
  });

  it('fails without pinned keys before the first sign-in, because the lease cannot be verified', async () => {
    const testClient = await startTestClient();
    const { lease } = new LeaseSigner().sign(about(testClient), testClient.platform.clock.now());
    const result = await testClient.client.importLease({ text: lease });
    expect(result).toMatchObject({ ok: false, failure: { problem: 'unknown_key' } });
  });
});
