/** A new master key while servers run: nothing created under the previous one is lost. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { byCommand, byServer } from '../../../server/audit/audit-event.ts';
import { verifyLease } from '../../../shared/lease.ts';
import { minute } from '../../harness/fake-clock.ts';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { timestamp, uuid } from '../../harness/response-shapes.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { activate, issueLicense, subscriber, type User } from '../../harness/users.ts';
import { describeEachDatabase, listEntries } from '../audit/databases.ts';

const secretsOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));

type Facts = {
  readonly user: User;
  readonly key: string;
  readonly unclaimed: string;
  readonly deviceId: string;
  readonly lease: string;
};

async function useAll(server: TestServer): Promise<Facts> {
  const user = await subscriber(server);
  const { key } = await issueLicense(server, '--email', user.email);
  const { key: unclaimed } = await issueLicense(server);
  const { deviceId } = await activate(server, user, key);
  const { body } = await server.call('lease', { token: user.token, body: { device_id: deviceId } });
  return { user, key, unclaimed, deviceId, lease: stringIn(body, 'lease') };
}

/** Expects that everything from before the rotation works, and that everything new does. */
async function expectAll(server: TestServer, { user, key, unclaimed, deviceId, lease }: Facts): Promise<void> {
  const { token } = user;
  expect((await server.call('subscriptionStatus', { token })).status).toBe(200);
  const validated = await server.call('validateLicense', { token, body: { license_key: key, device_id: deviceId } });
  expect(validated.body).toMatchObject({ valid: true, already_activated_on_device: true });
  const other = await server.call('validateLicense', { token, body: { license_key: unclaimed, device_id: deviceId } });
  expect(other.body).toMatchObject({ valid: true });
  const { body: jwks } = await server.request('GET', '/.well-known/jwks.json');
  const check = { jwks, deviceId, nowMs: server.now(), subtle: crypto.subtle };
  expect((await verifyLease(lease, check)).valid).toBe(true);
  const next = await server.call('lease', { token, body: { device_id: deviceId } });
  expect((await verifyLease(stringIn(next.body, 'lease'), check)).valid).toBe(true);
  const signedIn = await server.call('login', { body: { email: user.email, password: user.password } });
  expect((await server.call('subscriptionStatus', { token: stringIn(signedIn.body, 'access_token') })).status).toBe(
    200,
  );
  const issued = await issueLicense(server, '--email', user.email);
  expect((await activate(server, user, issued.key)).response.status).toBe(200);
}

describeEachDatabase((database) => {
  it('key rotate --purpose master goes unnoticed by the clients of two servers', async () => {
    const admin = await database.createAdmin();
    const servers: HttpServer[] = [await startHttpServer(admin), await startHttpServer(admin)];
    const [one, two] = servers as [HttpServer, HttpServer];
    const facts = await useAll(one);
    await expectAll(two, facts);
    const before = readFileSync(join(admin.folder, 'secrets.json'));

    for (const _ of ['once', 'and again']) {
      const [created] = await admin.json<object[]>(['key', 'rotate', '--purpose', 'master']);
      expect(created).toMatchObject({ kid: uuid, purpose: 'master', created_at: timestamp, retires_at: null });
      for (const server of [two, one]) await expectAll(server, facts);
    }
    expect((await listEntries(admin)).filter(({ action }) => action === 'key.rotate')).toMatchObject([
      { actor: 'admin command', target: 'key master' },
      { actor: 'admin command', target: 'key master' },
    ]);
    const report = await admin.json<{ keys: { purpose: string }[] }>(['check']);
    expect(report).toMatchObject({ ok: true, secrets: 'match', audit: { ok: true } });
    expect(report.keys.map((key) => key.purpose).sort()).toEqual(['access-token', 'lease', 'master', 'pepper']);
    expect(JSON.stringify(await admin.json(['key', 'list']))).not.toContain(
      secretsOf(admin.folder).master_keys[0].key.slice(0, 8),
    );

    await Promise.all(servers.map((server) => server.stop()));
    await expectAll(await startHttpServer(admin), facts);
    // The previous file is no longer accepted.
    const old = join(temporaryFolder(), 'secrets.json');
    writeFileSync(old, before, { mode: 0o600 });
    const { error } = await createAdmin({ ...admin.settings, LATCHKEY_SECRETS_FILE: old }).failure(['user', 'list']);
    expect(error).toContain('another database');
  });

  it('backups from before and after a rotation can be restored', async () => {
    const admin = await database.createAdmin();
    const server = await startHttpServer(admin);
    const facts = await useAll(server);
    const folder = temporaryFolder();
    await admin.json(['backup', join(folder, 'before')]);
    await admin.json(['key', 'rotate', '--purpose', 'master']);
    await admin.json(['backup', join(folder, 'after')]);
    await server.stop();
    for (const name of ['before', 'after']) {
      await admin.json(['restore', join(folder, name)]);
      expect(await admin.json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
      const restored = await startHttpServer(admin);
      await expectAll(restored, facts);
      await restored.stop();
    }
  });
});

describe('a minute after a rotation', () => {
  it('the server discards the previous master key, and data still encrypted with it is encrypted again', async () => {
    const server = await startTestApp();
    const facts = await useAll(server);
    const { secretRotation, auditSealing } = server.services;
    await auditSealing.run();
    await secretRotation.rotate(byCommand);
    const rotated = secretsOf(server.dataFolder);
    expect(rotated.master_keys).toHaveLength(2);
    expect(await secretRotation.finish(byServer)).toBe(false);

    server.clock.advance(minute);
    expect(await secretRotation.finish(byServer)).toBe(true);
    expect(secretsOf(server.dataFolder)).toEqual({ ...rotated, master_keys: rotated.master_keys.slice(0, 1) });
    expect(await secretRotation.finish(byServer)).toBe(false);
    await expectAll(server, facts);
    await auditSealing.run();
    const report = await server.admin('check');
    expect(report).toMatchObject({ ok: true, audit: { ok: true, unsealed: 0 } });
  });
});

describe('a secrets file that cannot be replaced', () => {
  it('leaves the master key unchanged, and reports the reason', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const before = readFileSync(join(admin.folder, 'secrets.json'), 'utf8');
    // The name of the temporary file is already in use.
    mkdirSync(join(admin.folder, 'secrets.json.new', 'taken'), { recursive: true });
    const { code, error } = await admin.failure(['key', 'rotate', '--purpose', 'master']);
    expect(code).toBe('CANNOT_START');
    expect(error).toMatch(/cannot be replaced .*make its folder writable/);
    expect(readFileSync(join(admin.folder, 'secrets.json'), 'utf8')).toBe(before);
    expect(await admin.json(['check'])).toMatchObject({ ok: true });
  });
});
