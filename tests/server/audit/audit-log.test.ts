/**
 * What the audit log contains after users and an admin have used everything: who did what to which record, and no
 * secrets.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../server/audit/audit-log.service.ts';
import { exportAuditLog } from '../../../server/backup/export-audit-log.ts';
import type { Admin } from '../../harness/admin.ts';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { timestamp, uuid } from '../../harness/response-shapes.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activate, goodPassword, issueLicense, signUp, type User } from '../../harness/users.ts';
import { check, describeEachDatabase, listEntries, seal } from './databases.ts';

const email = 'ada@example.com';
const newPassword = 'another quiet lantern 12';
const wrongPassword = 'a wrong passphrase';
/** Polling options for work that a server does every second. */
const legacyKey = 'legacy-key-of-ada-0123456789';

/** Formats an entry as `action target by actor`, with KEY for any license. */
const brief = ({ action, target, actor }: AuditEntry) =>
  `${action} ${target} by ${actor}`.replace(/SVC-\w{4}\.{3}\w{4}/, 'KEY');

describeEachDatabase((database) => {
  describe('the audit log', () => {
    it('records who did what to which record, from where, and contains no secrets', async () => {
      const admin = await database.createAdmin();
      const server = await startHttpServer(admin);
      const secrets = await useEverything(admin, server);
      // Refusals are written within a second.
      await expect.poll(async () => (await listEntries(admin)).map(({ action }) => action)).toContain(refused);
      await server.stop();

      const entries = await listEntries(admin);
      const isRefusal = ({ action }: AuditEntry) => action === refused;
      expect(entries.filter((entry) => !isRefusal(entry)).map(brief)).toEqual(journey);
      expect(entries.filter(isRefusal)).toMatchObject([
        { actor: 'anonymous', target: `account ${email}`, details: { reason: 'wrong password' } },
        { actor: 'anonymous', target: 'account', details: { reason: 'unknown account' } },
      ]);
      for (const entry of entries) {
        expect(entry).toStrictEqual({
          id: uuid,
          at: timestamp,
          actor: expect.any(String),
          action: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/),
          target: expect.any(String),
          target_id: entry.target === 'account' || entry.target.startsWith('installer') ? null : expect.any(String),
          address: entry.actor === 'admin command' ? null : '127.0.0.1',
          details: expect.any(Object),
        });
      }
      const text = JSON.stringify(entries);
      for (const secret of secrets) expect(text).not.toContain(secret);
    });

    it('is sealed within seconds while the server runs', async () => {
      const admin = await database.createAdmin();
      await admin.createUser(email);
      expect((await check(admin)).audit).toStrictEqual({ entries: 1, sealed: 0, unsealed: 1, ok: true });
      const server = await startHttpServer(admin);
      await signUp(server);
      await expect
        .poll(async () => (await check(admin)).audit)
        .toStrictEqual({ entries: 2, sealed: 2, unsealed: 0, ok: true });
    });

    it('has no entry for a change that failed', async () => {
      const admin = await database.createAdmin();
      await admin.createUser(email);
      for (const words of [
        ['user', 'create', '--email', email, '--password-stdin'],
        ['license', 'set', 'no-license', '--status', 'revoked'],
        ['subscription', 'set', email, '--plan', 'no-plan'],
        ['api-key', 'revoke', email],
      ]) {
        await admin.failure(words, goodPassword);
      }
      expect((await listEntries(admin)).map(brief)).toEqual([`account.create account ${email} by admin command`]);
    });

    it('records that an activation claimed a license without an owner', async () => {
      const admin = await database.createAdmin();
      const server = await startHttpServer(admin);
      const user = await signUp(server, email);
      const { key } = await issueLicense(server);
      const deviceIds = [(await activate(server, user, key)).deviceId, (await activate(server, user, key)).deviceId];
      const activations = (await listEntries(admin)).filter(({ action }) => action === 'license.activate');
      expect(activations.map(({ details }) => details)).toStrictEqual([
        { device_id: deviceIds[0], device_name: 'Office computer', claimed: true },
        { device_id: deviceIds[1], device_name: 'Office computer' },
      ]);
    });

    it('links each entry to its record by an id, in the list as well as in the export', async () => {
      const admin = await database.createAdmin();
      const user = await admin.createUser(email);
      const { license } = await admin.json<{ license: { id: string } }>(['license', 'issue', '--email', email]);
      await admin.json(['installer', 'publish', '9.0.0', '--windows-x64', `sha256:${'0'.repeat(64)}`]);
      const file = join(temporaryFolder(), 'audit.jsonl');
      await admin.json(['audit', 'export', file]);
      const exported = readFileSync(file, 'utf8').trimEnd().split('\n');
      const entries: AuditEntry[] = exported.map((line) => JSON.parse(line));
      expect(entries.map(({ action, target_id }) => ({ action, target_id }))).toEqual([
        { action: 'account.create', target_id: user.id },
        { action: 'license.issue', target_id: license.id },
        { action: 'installer.publish', target_id: null },
      ]);
      expect(entries).toEqual(await listEntries(admin));
    });

    it('can be listed newest first, from a given time and in parts', async () => {
      const admin = await database.createAdmin();
      for (const name of ['a', 'b', 'c']) await admin.json(['plan', 'set', name]);
      const targets = async (...words: string[]) =>
        (await admin.json<AuditEntry[]>(['audit', 'list', ...words])).map(({ target }) => target);
      expect(await targets()).toEqual(['plan c', 'plan b', 'plan a']);
      expect(await targets('--limit', '2')).toEqual(['plan c', 'plan b']);
      const [, second] = await admin.json<AuditEntry[]>(['audit', 'list']);
      if (!second) throw new Error('there are three');
      expect(await targets('--after', second.id)).toEqual(['plan a']);
      expect(await targets('--since', second.at)).toEqual(['plan c', 'plan b']);
      expect(await targets('--since', '2999-01-01')).toEqual([]);
    });

    it('is exported as JSON lines, oldest first, and replaces an existing file only with --force', async () => {
      const admin = await database.createAdmin();
      await admin.createUser(email);
      await admin.json(['plan', 'set', 'a']);
      const file = join(temporaryFolder(), 'audit.jsonl');
      const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(await admin.json(['audit', 'export', file])).toStrictEqual({
        file,
        entries: 2,
        bytes: statSync(file).size,
      });
      expect(lines().map((line) => JSON.parse(line))).toEqual(await listEntries(admin));
      expect(statSync(file).mode & 0o777).toBe(0o600);

      await admin.json(['plan', 'set', 'b']);
      expect(await admin.failure(['audit', 'export', file])).toMatchObject({ code: 'FILE_EXISTS' });
      expect(lines()).toHaveLength(2);
      await admin.json(['audit', 'export', file, '--force']);
      expect(lines()).toHaveLength(3);
      expect(await admin.failure(['audit', 'export', join(temporaryFolder(), 'none', 'x')])).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(readdirSync(join(file, '..'))).toEqual(['audit.jsonl']);
    });

    it('is part of a backup, and records the backup and its restore', async () => {
      const admin = await database.createAdmin();
      await admin.createUser(email);
      await seal(admin);
      const file = join(temporaryFolder(), 'b.tar');
      const { sha256 } = await admin.json<{ sha256: string }>(['backup', file]);
      expect(await listEntries(admin)).toMatchObject([
        { action: 'account.create' },
        { action: 'backup.create', target: 'backup b.tar', actor: 'admin command', details: { sha256 } },
      ]);
      await admin.json(['plan', 'set', 'lost']);
      await admin.json(['restore', file]);
      expect(await listEntries(admin)).toMatchObject([
        { action: 'account.create' },
        { action: 'backup.restore', target: 'backup b.tar', actor: 'admin command' },
      ]);
      await seal(admin);
      expect((await check(admin)).audit).toStrictEqual({ entries: 2, sealed: 2, unsealed: 0, ok: true });
    });
  });
});

const refused = 'account.sign_in_refused';

/** The entries that `useEverything` leaves, except refusals. */
const journey = [
  'plan.set plan campus by admin command',
  `account.create account ${email} by ${email}`,
  `subscription.change subscription ${email} by admin command`,
  'license.issue license KEY by admin command',
  `license.activate license KEY by ${email}`,
  `license.activate license KEY by ${email}`,
  `license.release license KEY by ${email}`,
  'license.release license KEY by admin command',
  'license.suspend license KEY by admin command',
  'license.reinstate license KEY by admin command',
  'license.expire license KEY by admin command',
  'license.revoke license KEY by admin command',
  `api_key.generate api_key ${email} by ${email}`,
  `api_key.regenerate api_key ${email} by ${email}`,
  `api_key.import api_key ${email} by admin command`,
  `api_key.revoke api_key ${email} by admin command`,
  `account.sign_in account ${email} by ${email}`,
  `refresh_token.reuse account ${email} by anonymous`,
  `account.sign_in account ${email} by ${email}`,
  `account.sign_out account ${email} by ${email}`,
  `account.password_reset account ${email} by admin command`,
  'installer.publish installer 4.2.0 by admin command',
  'installer.clear installer by admin command',
  `account.delete account ${email} by admin command`,
];

/** Does everything once that leaves an entry; returns the secrets that were sent or received. */
async function useEverything(admin: Admin, server: HttpServer): Promise<string[]> {
  await admin.json(['plan', 'set', 'campus', '--max-devices', '4', '--feature', 'csv_export=true']);
  const user = await signUp(server, email);
  await admin.json(['subscription', 'set', email, '--plan', 'standard']);
  const licenseKey = await useLicense(admin, server, user);
  const apiKeys = await useApiKeys(admin, server, user);
  const tokens = await useSessions(server, user);
  await admin.json(['user', 'password', email, '--password-stdin'], newPassword);
  await admin.json(['installer', 'publish', '4.2.0', '--linux-amd64', `sha256:${'ab'.repeat(32)}`]);
  await admin.json(['installer', 'clear']);
  await admin.json(['user', 'delete', email]);
  const secrets = JSON.parse(readFileSync(join(admin.folder, 'secrets.json'), 'utf8'));
  const all = [
    goodPassword,
    newPassword,
    wrongPassword,
    licenseKey,
    ...apiKeys,
    ...tokens,
    secrets.master_key,
    secrets.pepper,
  ];
  return all.flatMap((secret) => [secret, createHash('sha256').update(secret).digest('hex')]);
}

async function useLicense(admin: Admin, server: HttpServer, user: User): Promise<string> {
  const { key, id } = await issueLicense(server, '--email', email);
  const first = await activate(server, user, key);
  const second = await activate(server, user, key);
  // Activating a device that is already active changes nothing.
  await activate(server, user, key, second.deviceId);
  await server.call('releaseActivation', { token: user.token, at: first.activationId });
  await admin.json(['license', 'release', id, second.deviceId]);
  for (const status of ['inactive', 'active', 'expired', 'revoked']) {
    await admin.json(['license', 'set', id, '--status', status]);
  }
  return key;
}

async function useApiKeys(admin: Admin, server: HttpServer, { token }: User): Promise<string[]> {
  const generate = async (body: object) => stringIn((await server.call('apiKey', { token, body })).body, 'api_key');
  const keys = [await generate({}), await generate({ regenerate: true }), legacyKey];
  await server.call('apiKey', { token });
  await admin.json(['api-key', 'import-legacy', email, '--key', legacyKey, '--expires-at', '2040-01-01']);
  await admin.json(['api-key', 'revoke', email]);
  return keys;
}

/** Signs in with a wrong and the right password, refreshes, reuses a refresh token, and signs out. */
async function useSessions(server: HttpServer, user: User): Promise<string[]> {
  const tokens: string[] = [user.token, user.refreshToken];
  const signIn = async () => {
    const { body } = await server.call('login', { body: { email, password: goodPassword } });
    tokens.push(stringIn(body, 'access_token'), stringIn(body, 'refresh_token'));
    return stringIn(body, 'refresh_token');
  };
  await server.call('login', { body: { email, password: wrongPassword } });
  // A user has typed the password into the wrong field.
  await server.call('login', { body: { email: goodPassword, password: goodPassword } });
  const first = await signIn();
  const { body } = await server.call('refresh', { body: { refresh_token: first } });
  tokens.push(stringIn(body, 'refresh_token'));
  for (let times = 0; times < 2; times++) await server.call('refresh', { body: { refresh_token: first } });
  const second = await signIn();
  for (let times = 0; times < 2; times++) await server.call('logout', { body: { refresh_token: second } });
  return tokens;
}

it('an export writes through no link that another user of the folder puts there meanwhile', async () => {
  const [folder, others] = [temporaryFolder(), temporaryFolder()];
  const other = join(others, 'audit.jsonl');
  writeFileSync(other, 'other', { mode: 0o644 });
  const listOldest = async () => {
    const isWritten = () =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());
    await expect.poll(isWritten).toBe(true);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      rmSync(join(folder, entry.name), { recursive: true });
      symlinkSync(entry.isDirectory() ? others : other, join(folder, entry.name));
    }
    return { rows: [], next: null };
  };
  const output = { file: join(folder, 'audit.jsonl'), force: true };
  await expect(exportAuditLog({ listOldest }, output)).rejects.toThrow('ELOOP');
  expect(readFileSync(other, 'utf8')).toBe('other');
  expect(statSync(other).mode & 0o777).toBe(0o644);
  expect(readdirSync(folder)).toEqual([]);
});
