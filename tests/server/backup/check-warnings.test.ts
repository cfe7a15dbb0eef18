/** `check` warns of insecure and unusual settings, and says what to do. A default server has few warnings. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSettingWarnings, type SettingContext } from '../../../server/backup/setting-warnings.rules.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { hasOpenssl } from '../../harness/certificate-authority.ts';
import type { Settings } from '../../harness/environment.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

const sound: SettingContext = {
  isBackupOnDataDisk: false,
  certificateEndsAtMs: undefined,
  isCertificateForHost: undefined,
  owners: 1,
  plans: ['free', 'standard'],
  dataFolderMode: 0o40700,
  nowMs: 0,
};
const sane: Settings = { LATCHKEY_BACKUP_EVERY: '24h', LATCHKEY_BACKUP_RECIPIENT: 'age1qqqqqqqqqqqqqqqqqq' };
const tls = { LATCHKEY_TLS_CERT: 'a.pem', LATCHKEY_TLS_KEY: 'b.pem' };
const day = 86_400_000;

const warningsOf = (settings: Settings, context: Partial<SettingContext> = {}) =>
  findSettingWarnings(readConfig({ ...sane, ...settings }), { ...sound, ...context });

describe('sound settings', () => {
  it.each<[string, Settings]>([
    ['on this machine only', {}],
    ['with a certificate', { LATCHKEY_HOST: '0.0.0.0', ...tls }],
    [
      'behind a proxy on this machine',
      { LATCHKEY_TRUST_PROXY: '127.0.0.1', LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' },
    ],
    ['with PostgreSQL on this machine', { DATABASE_URL: 'postgres://u@127.0.0.1/db' }],
  ])('have no warnings: %s', (_, settings) => {
    expect(warningsOf(settings, { certificateEndsAtMs: 60 * day })).toEqual([]);
  });
});

describe('a warning is given for', () => {
  it.each<[string, Settings, Partial<SettingContext>, RegExp]>([
    [
      'a proxy with TLS that is not trusted',
      { LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' },
      {},
      /neither has a certificate nor trusts a proxy/,
    ],
    [
      'plain HTTP',
      { LATCHKEY_HOST: '0.0.0.0', LATCHKEY_ALLOW_HTTP: '1' },
      {},
      /unencrypted HTTP.*set LATCHKEY_TLS_CERT/,
    ],
    [
      'plain HTTP beside a proxy',
      { LATCHKEY_HOST: '10.0.0.1', LATCHKEY_TRUST_PROXY: '10.0.0.2' },
      {},
      /without the proxy/,
    ],
    [
      'a public address without TLS',
      { LATCHKEY_PUBLIC_URL: 'http://licenses.example' },
      {},
      /LATCHKEY_PUBLIC_URL begins/,
    ],
    ['an expired certificate', tls, { certificateEndsAtMs: -1 }, /has expired/],
    ['a certificate that expires soon', tls, { certificateEndsAtMs: 3 * day }, /expires in 3 days/],
    ['PostgreSQL without TLS', { DATABASE_URL: 'postgres://u@db.example/x' }, {}, /DATABASE_URL.*sslmode/],
    ['Redis without TLS', { REDIS_URL: 'redis://r.example' }, {}, /REDIS_URL.*rediss/],
    ['a number of proxies', { LATCHKEY_TRUST_PROXY: '1' }, {}, /name the addresses of the proxies/],
    ['many proxies', { LATCHKEY_TRUST_PROXY: '9' }, {}, /is 9, which is many/],
    ['a proxy anywhere', { LATCHKEY_TRUST_PROXY: '0.0.0.0/0' }, {}, /trusts 0\.0\.0\.0\/0/],
    [
      'limits that are off',
      { LATCHKEY_RATE_LOGIN: '0', LATCHKEY_RATE_LICENSE: '0' },
      {},
      /LATCHKEY_RATE_LOGIN, LATCHKEY_RATE_LICENSE/,
    ],
    ['many logins', { LATCHKEY_RATE_LOGIN: '5000' }, {}, /5000 passwords a minute/],
    ['no backups', { LATCHKEY_BACKUP_EVERY: '' }, {}, /no backups are scheduled: set LATCHKEY_BACKUP_EVERY/],
    ['backups on the disk of the data', {}, { isBackupOnDataDisk: true }, /same disk as the data/],
    ['backups in the clear', { LATCHKEY_BACKUP_RECIPIENT: '' }, {}, /not encrypted/],
    [
      'the passphrase beside the backups',
      { LATCHKEY_BACKUP_RECIPIENT: '', LATCHKEY_BACKUP_FOLDER: '/b', LATCHKEY_BACKUP_PASSPHRASE_FILE: '/b/p' },
      {},
      /passphrase file is in the folder/,
    ],
    [
      'the secrets beside the backups',
      { LATCHKEY_BACKUP_FOLDER: '/b', LATCHKEY_SECRETS_FILE: '/b/s' },
      {},
      /secrets file is in/,
    ],
    ['a single backup', { LATCHKEY_BACKUP_KEEP: '1' }, {}, /LATCHKEY_BACKUP_KEEP is 1/],
    ['rare backups', { LATCHKEY_BACKUP_EVERY: '30d' }, {}, /more than 7 days/],
    ['long access tokens', { LATCHKEY_ACCESS_TOKEN_TTL: '2d' }, {}, /LATCHKEY_ACCESS_TOKEN_TTL/],
    ['long refresh tokens', { LATCHKEY_REFRESH_TOKEN_TTL: '365d' }, {}, /LATCHKEY_REFRESH_TOKEN_TTL/],
    ['short refresh tokens', { LATCHKEY_REFRESH_TOKEN_TTL: '1h' }, {}, /not longer than/],
    ['long leases', { LATCHKEY_LEASE_TTL: '365d' }, {}, /LATCHKEY_LEASE_TTL/],
    ['a short audit log', { LATCHKEY_RETENTION: '7d' }, {}, /LATCHKEY_RETENTION/],
    ['a log of all requests', { LATCHKEY_LOG_REQUESTS: 'all' }, {}, /LATCHKEY_LOG_REQUESTS is all/],
    ['a detailed log', { LATCHKEY_LOG_LEVEL: 'trace' }, {}, /LATCHKEY_LOG_LEVEL is trace/],
    ['a silent log', { LATCHKEY_LOG_LEVEL: 'silent' }, {}, /hides warnings/],
    ['no owner', {}, { owners: 0 }, /no owner among the staff/],
    ['private webhook addresses', { LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1' }, {}, /LATCHKEY_WEBHOOK_ALLOW_PRIVATE/],
    [
      'a price of a plan that does not exist',
      { LATCHKEY_BILLING_PRICES: 'price_1=standard,price_2=standart,price_3=standart' },
      {},
      /names the plan "standart", which/,
    ],
    ['short passwords', { LATCHKEY_PASSWORD_MIN_LENGTH: '4' }, {}, /LATCHKEY_PASSWORD_MIN_LENGTH is 4/],
    ['an open data folder', {}, { dataFolderMode: 0o40755 }, /chmod go-rwx/],
  ])('%s', (_, settings, context, message) => {
    const warnings = warningsOf(settings, context);
    expect(
      warnings.filter((warning) => message.test(warning)),
      warnings.join('\n'),
    ).toHaveLength(1);
  });
});

it('check lists warnings separately from problems, and succeeds', async () => {
  const admin = createAdmin({ LATCHKEY_RATE_LOGIN: '0', LATCHKEY_BILLING_PRICES: 'price_1=standard,price_2=standart' });
  await admin.json(['plan', 'list']);
  const { ok, problems, warnings } = await admin.json<{ ok: boolean; problems: string[]; warnings: string[] }>([
    'check',
  ]);
  expect({ ok, problems }).toEqual({ ok: true, problems: [] });
  expect(warnings.join('\n')).toMatch(/LATCHKEY_RATE_LOGIN[\s\S]*no backups are scheduled[\s\S]*the plan "standart"/);
  expect(warnings.join('\n')).not.toContain('"standard"');
  const { code, stdout } = await admin.runHere(['check']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^problems: none\nwarnings:\n- rate limits/m);
});

describe.skipIf(!hasOpenssl)('check reads the certificate', { timeout: 60_000 }, () => {
  const alternative = ['-addext', 'subjectAltName=DNS:licenses.example.com'];
  it.each([
    ['https://licenses.example.com', alternative, false],
    ['https://licenses.example.com:8443/latchkey', alternative, false],
    ['https://other.example.com', alternative, true],
    ['https://[2001:db8::1]', alternative, true],
    ['https://[2001:db8::1]', ['-addext', 'subjectAltName=IP:2001:db8::1'], false],
    // Browsers ignore the common name.
    ['https://licenses.example.com', [], true],
  ])('and warns if it is not for the host of %s, %j: %s', async (publicUrl, extension, isWarned) => {
    const folder = temporaryFolder();
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const names = ['-subj', '/CN=licenses.example.com', ...extension];
    const files = ['-keyout', key, '-out', cert];
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', ...names, ...files]);
    chmodSync(key, 0o600);
    const admin = createAdmin({
      LATCHKEY_TLS_CERT: cert,
      LATCHKEY_TLS_KEY: key,
      LATCHKEY_PUBLIC_URL: publicUrl,
    });
    await admin.json(['plan', 'list']);
    const { warnings } = await admin.json<{ warnings: string[] }>(['check']);
    expect(warnings.some((warning) => warning.includes('is not for'))).toBe(isWarned);
  });
});

it('check detects that backups are on the same disk as the data', async () => {
  const admin = createAdmin({ LATCHKEY_BACKUP_EVERY: '24h' });
  mkdirSync(join(admin.folder, 'backups'));
  await admin.json(['plan', 'list']);
  const { warnings } = await admin.json<{ warnings: string[] }>(['check']);
  expect(warnings.join('\n')).toContain('on the same disk as the data');
  expect(warnings.join('\n')).toContain('no backup was proven yet');
});
