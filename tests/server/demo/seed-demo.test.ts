/** The demo data works as printed, and is created only once. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScript } from '../../harness/admin.ts';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

type Account = { email: string; password: string; license_key: string };
type Demo = Account & { full_account: Account; installer_file: string; tampered_file: string; version: string };

const deviceId = 'HW-01234567-89ABCDEF-01234567-89ABCDEF';

async function seed(folder: string): Promise<Demo> {
  const { code, stdout, stderr } = await runScript('server/demo/seed-demo.ts', [], {
    settings: { LATCHKEY_DATA: folder },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function signIn(server: HttpServer, { email, password }: Account): Promise<string> {
  const { body } = await server.call('login', { body: { email, password } });
  return String(body.access_token);
}

const activate = (server: HttpServer, { license_key }: Account, token: string) =>
  server.call('activateLicense', {
    body: { license_key, device_id: deviceId, device_name: 'Office computer', platform: 'linux x64' },
    token,
  });

const sha256 = (file: string) => `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`;

describe('the demo data', () => {
  it('works as printed: an unused license, a full one, a genuine and a tampered installer', async () => {
    const folder = temporaryFolder();
    const server = await startHttpServer(createAdmin({}, folder));
    const demo = await seed(folder);

    const token = await signIn(server, demo);
    const { body: status } = await server.call('subscriptionStatus', { token });
    expect(status).toMatchObject({
      subscription: { plan: 'standard', status: 'active' },
      license: { status: 'active', activations: 0, max_activations: 3 },
      features: { api_access: true },
    });
    expect((await activate(server, demo, token)).body).toMatchObject({ success: true, activations: 1 });

    const otherToken = await signIn(server, demo.full_account);
    const rejected = await activate(server, demo.full_account, otherToken);
    expect(rejected.body.code).toBe('MAX_ACTIVATIONS_REACHED');
    const { body: devices } = await server.call('listActivations', { token: otherToken });
    expect(devices.activations).toMatchObject([{ activity: 'stale' }, { activity: 'idle' }, { activity: 'active' }]);

    const { body: published } = await server.call('installerHashes');
    expect(published.version).toBe(demo.version);
    expect(Object.values(published.hashes as object)).toEqual([sha256(demo.installer_file)]);
    expect(sha256(demo.tampered_file)).not.toBe(sha256(demo.installer_file));
    expect(statSync(demo.tampered_file).size).toBe(statSync(demo.installer_file).size);
  });

  it('is created once: a second run prints the same and changes nothing', async () => {
    const folder = temporaryFolder();
    const first = await seed(folder);
    const admin = createAdmin({}, folder);
    const licenses = await admin.json(['license', 'list']);
    const installer = await admin.json([
      'installer',
      'publish',
      first.version,
      '--macos-arm64',
      `sha256:${'ab'.repeat(32)}`,
    ]);

    expect(await seed(folder)).toEqual(first);
    expect(await admin.json(['license', 'list'])).toEqual(licenses);
    const again = await admin.json([
      'installer',
      'publish',
      first.version,
      '--macos-arm64',
      `sha256:${'ab'.repeat(32)}`,
    ]);
    expect(again.hashes).toEqual(installer.hashes);
    expect(statSync(join(folder, 'demo.json')).mode & 0o777).toBe(0o600);
  });

  it('keeps a used license unchanged, with its devices', async () => {
    const folder = temporaryFolder();
    const demo = await seed(folder);
    const server = await startHttpServer(createAdmin({}, folder));
    await activate(server, demo, await signIn(server, demo));
    expect(await seed(folder)).toEqual(demo);
    const licenses = await createAdmin({}, folder).json(['license', 'list', '--email', demo.email]);
    expect(licenses).toMatchObject([{ activations: 1 }]);
  });

  it('restores what was lost: an account, demo.json, a file', async () => {
    const folder = temporaryFolder();
    const first = await seed(folder);
    const admin = createAdmin({}, folder);
    await admin.json(['user', 'delete', first.email]);
    writeFileSync(first.installer_file, 'overwritten');
    const second = await seed(folder);
    expect(second.full_account).toEqual(first.full_account);
    expect(second.license_key).not.toBe(first.license_key);
    expect(statSync(second.installer_file).size).toBeGreaterThan(1_000_000);

    rmSync(join(folder, 'demo.json'));
    const third = await seed(folder);
    expect(third.full_account.password).not.toBe(first.full_account.password);
    const server = await startHttpServer(createAdmin({}, folder));
    for (const account of [third, third.full_account]) expect(await signIn(server, account)).toMatch(/^eyJ/);
    expect(await admin.json(['user', 'list'])).toHaveLength(2);
  });

  it('is active again after its year has ended', async () => {
    const folder = temporaryFolder();
    const demo = await seed(folder);
    const admin = createAdmin({}, folder);
    await admin.json(['subscription', 'set', demo.email, '--plan', 'standard', '--period-end', '2020-01-01']);
    await seed(folder);
    const { subscription } = await admin.json(['user', 'show', demo.email]);
    expect(subscription).toMatchObject({ status: 'active' });
  });
});
