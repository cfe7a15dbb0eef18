/** Which settings lead to a warning: the boundary of each condition, and the text of each warning. */
import { describe, expect, it } from 'vitest';
import { findSettingWarnings, type SettingContext } from '../../../server/backup/setting-warnings.rules.ts';
import { type Config, readConfig } from '../../../server/settings/config.ts';
import { day, hour } from '../../harness/fake-clock.ts';

const nowMs = 1000 * day;
const sound: SettingContext = {
  isBackupOnDataDisk: false,
  certificateEndsAtMs: undefined,
  isCertificateForHost: undefined,
  owners: 1,
  plans: [],
  dataFolderMode: 0o40700,
  nowMs,
};
const defaults = readConfig({ LATCHKEY_BACKUP_EVERY: '24h', LATCHKEY_BACKUP_RECIPIENT: 'age1qqqqqqqqqqqqqqqqqq' });
const tls = { certFile: 'a.pem', keyFile: 'b.pem' };
const secret = { ...defaults.backups, recipient: undefined, folder: '/backups', passphraseFile: '/keys/p' };
const open = { ...secret, passphraseFile: undefined };

type Case = [what: string, config: Partial<Config>, context?: Partial<SettingContext>];
type Warned = [message: string, ...Case];
const warningsOf = (config: Partial<Config>, context: Partial<SettingContext> = {}) =>
  findSettingWarnings({ ...defaults, ...config }, { ...sound, ...context });
const mode = (sslmode: string) => ({ databaseUrl: `postgres://u@db.example/x?sslmode=${sslmode}` });
const url = (text: string) => ({ publicUrl: new URL(text) });
const limits = (rates: Partial<Config['rateLimits']>) => ({ rateLimits: { ...defaults.rateLimits, ...rates } });
const backups = (change: Partial<Config['backups']>) => ({ backups: { ...defaults.backups, ...change } });

describe('no warning is given for', () => {
  it.each<Case>([
    ['the defaults with encrypted backups', {}],
    ['a host that others reach with a certificate', { host: '0.0.0.0', tls }],
    ['a certificate that ends in 14 days', { tls }, { certificateEndsAtMs: nowMs + 14 * day }],
    ['a public URL with https and a certificate', { ...url('https://a.example'), tls }],
    ['a certificate for the host', { ...url('https://a.example'), tls }, { isCertificateForHost: true }],
    [
      'a certificate for another name behind a proxy',
      { ...url('https://a.example'), tls, trustProxy: ['192.0.2.1'] },
      { isCertificateForHost: false },
    ],
    ['a public URL with https behind a proxy', { ...url('https://a.example'), trustProxy: ['127.0.0.1'] }],
    ['a public URL with http on this machine', url('http://localhost:8470')],
    ['a public URL with http on this machine, by its IPv6 address', url('http://[::1]:8470')],
    ['PostgreSQL with TLS that is verified', mode('verify-full')],
    ['PostgreSQL with TLS', mode('require')],
    ['PostgreSQL on this machine', { databaseUrl: 'postgres://u@127.0.0.1/x' }],
    ['PostgreSQL on this machine, by its IPv6 address', { databaseUrl: 'postgres://u@[::1]/x' }],
    ['PostgreSQL with TLS by ssl=true', { databaseUrl: 'postgres://u@db.example/x?ssl=true' }],
    ['PostgreSQL on a socket', { databaseUrl: 'postgres:///x?host=/run/postgresql' }],
    ['PostgreSQL on a socket in place of the host', { databaseUrl: 'postgres://%2Frun%2Fpostgresql/x' }],
    ['Redis with TLS', { redisUrl: 'rediss://r.example' }],
    ['Redis on this machine', { redisUrl: 'redis://127.0.0.1' }],
    ['a proxy in a network of 8 bits', { trustProxy: ['10.0.0.0/8'] }],
    ['proxies in narrow networks', { trustProxy: ['10.0.0.0/16', 'fd00::/7f', '10.0.0.7'] }],
    ['a hundred logins', limits({ login: 100 })],
    ['a passphrase file beside the folder of the backups', { backups: { ...secret, passphraseFile: '/backups.p' } }],
    ['a secrets file beside the folder of the backups', { backups: secret, secretsFile: '/backups.s' }],
    ['two backups', backups({ keep: 2 })],
    ['a backup each week', backups({ everyMs: 7 * day })],
    ['access tokens for a day', { accessTokenTtlMs: day }],
    ['refresh tokens for 90 days', { refreshTokenTtlMs: 90 * day }],
    ['refresh tokens that last longer than access tokens', { refreshTokenTtlMs: hour + 1, accessTokenTtlMs: hour }],
    ['leases for 90 days', { leaseTtlMs: 90 * day }],
    ['a retention of 30 days', { retentionMs: 30 * day }],
    ['a log of warnings', { logLevel: 'warn' }],
    ['a database without staff', {}, { owners: undefined }],
    ['passwords of 8 characters', { passwordMinLength: 8 }],
    ['a data folder that cannot be read', {}, { dataFolderMode: undefined }],
  ])('%s', (_, config, context) => {
    expect(warningsOf(config, context)).toStrictEqual([]);
  });
});

const plainHttp = 'LATCHKEY_HOST 10.0.0.1 is reached over unencrypted HTTP, which shows passwords and keys';
const plainUrl = 'LATCHKEY_PUBLIC_URL begins with http://, so links in mails and to the admin page are unencrypted';
const plainDatabase = 'DATABASE_URL connects to another machine without TLS: add sslmode=verify-full';
const wide = (network: string) => `LATCHKEY_TRUST_PROXY trusts ${network}, so that nearly everyone can choose`;
const inClear =
  'backups are not encrypted, and contain every secret of the server: set LATCHKEY_BACKUP_PASSPHRASE_FILE';
const secretsBeside = 'the secrets file is in the folder of the backups: move it, and set LATCHKEY_SECRETS_FILE';
const openFolder = `other users can look into ${defaults.dataFolder}: run "chmod go-rwx" on it`;
const notLonger = 'LATCHKEY_REFRESH_TOKEN_TTL is not longer than LATCHKEY_ACCESS_TOKEN_TTL';
const verbose = (level: string) => `LATCHKEY_LOG_LEVEL is ${level}, meant for a search for an error`;
const quiet = (level: string) => `LATCHKEY_LOG_LEVEL is ${level}, which hides warnings`;

describe('one warning is given', () => {
  it.each<Warned>([
    [plainHttp, 'without encryption', { host: '10.0.0.1' }],
    [
      'LATCHKEY_HOST 10.0.0.1 is reached over unencrypted HTTP also without the proxy: bind it',
      'without encryption beside a proxy',
      { host: '10.0.0.1', trustProxy: ['10.0.0.2'] },
    ],
    [plainUrl, 'for a public URL with http', url('http://a.example')],
    [
      'LATCHKEY_PUBLIC_URL begins with https://, but the server neither has a certificate nor trusts a proxy',
      'for a public URL with https and no TLS',
      url('https://a.example'),
    ],
    [
      'the certificate of LATCHKEY_TLS_CERT has expired: replace it',
      'when a certificate ends now',
      { tls },
      { certificateEndsAtMs: nowMs },
    ],
    [
      'the certificate of LATCHKEY_TLS_CERT is not for a.example, the host of LATCHKEY_PUBLIC_URL',
      'for a certificate for another name',
      { ...url('https://a.example'), tls },
      { isCertificateForHost: false },
    ],
    ['expires in 1 days: renew it', 'just before it ends', { tls }, { certificateEndsAtMs: nowMs + 1 }],
    ['expires in 2 days: renew it', 'for a day and a bit', { tls }, { certificateEndsAtMs: nowMs + day + 1 }],
    ['expires in 14 days: renew it', 'just below 14 days', { tls }, { certificateEndsAtMs: nowMs + 14 * day - 1 }],
    [plainDatabase, 'for PostgreSQL without a mode', { databaseUrl: 'postgres://u@db.example/x' }],
    [plainDatabase, 'for PostgreSQL at the host of a parameter', { databaseUrl: 'postgres:///x?host=db.example' }],
    [plainDatabase, 'for the mode disable', mode('disable')],
    [plainDatabase, 'for the mode disable despite ssl=true', mode('disable&ssl=true')],
    [plainDatabase, 'for the mode allow', mode('allow')],
    [plainDatabase, 'for the mode prefer', mode('prefer')],
    [
      'REDIS_URL connects to another machine without TLS: use rediss://',
      'for Redis',
      { redisUrl: 'redis://r.example' },
    ],
    [
      'LATCHKEY_TRUST_PROXY is a number of proxies: a client that reaches the server without passing all 3 of them',
      'for a few proxies by their number',
      { trustProxy: 3 },
    ],
    [wide('0.0.0.0/0'), 'for proxies anywhere', { trustProxy: ['10.0.0.7', '0.0.0.0/0'] }],
    [wide('10.0.0.0/7'), 'for proxies in a network of 7 bits', { trustProxy: ['10.0.0.0/7'] }],
    [
      'rate limits are switched off by LATCHKEY_RATE_LOGIN, LATCHKEY_RATE_KEY_VALIDATE: set a number',
      'for limits that are 0',
      limits({ login: 0, key_validate: 0, default: 1 }),
    ],
    ['LATCHKEY_RATE_LOGIN lets a client try 101 passwords a minute', 'for many logins', limits({ login: 101 })],
    ['no backups are scheduled: set LATCHKEY_BACKUP_EVERY', 'without backups', backups({ everyMs: undefined })],
    [
      `backups are written to ${defaults.backups.folder}, on the same disk as the data: both are lost with it`,
      'for backups on the disk of the data',
      {},
      { isBackupOnDataDisk: true },
    ],
    [inClear, 'for backups in the clear', { backups: open }],
    [inClear, 'for backups in the clear alone, also beside the secrets', { backups: open, secretsFile: '/backups/s' }],
    [
      'the passphrase file is in the folder of the backups that it encrypts: move LATCHKEY_BACKUP_PASSPHRASE_FILE',
      'for a passphrase file in their folder',
      { backups: { ...secret, passphraseFile: '/backups/keys/p' } },
    ],
    [secretsBeside, 'for a secrets file in their folder', { backups: secret, secretsFile: '/backups/s' }],
    [
      secretsBeside,
      'for a secrets file beside backups for a recipient',
      { ...backups({ folder: '/backups' }), secretsFile: '/backups/s' },
    ],
    ['LATCHKEY_BACKUP_KEEP is 1: what goes wrong unnoticed', 'for a single backup', backups({ keep: 1 })],
    ['LATCHKEY_BACKUP_EVERY is more than 7 days', 'for rare backups', backups({ everyMs: 7 * day + 1 })],
    [
      'LATCHKEY_ACCESS_TOKEN_TTL is more than a day: clients refresh by themselves',
      'for long access tokens',
      { accessTokenTtlMs: day + 1 },
    ],
    ['LATCHKEY_REFRESH_TOKEN_TTL is more than 90 days', 'for long refresh tokens', { refreshTokenTtlMs: 90 * day + 1 }],
    [notLonger, 'for refresh tokens that are shorter', { refreshTokenTtlMs: hour - 1, accessTokenTtlMs: hour }],
    [notLonger, 'for refresh tokens that are as long', { refreshTokenTtlMs: hour, accessTokenTtlMs: hour }],
    ['LATCHKEY_LEASE_TTL is more than 90 days', 'for long leases', { leaseTtlMs: 90 * day + 1 }],
    ['LATCHKEY_RETENTION is less than 30 days', 'for a short retention', { retentionMs: 30 * day - 1 }],
    ['LATCHKEY_LOG_REQUESTS is all: every request has a line', 'for all requests', { logRequests: 'all' }],
    [verbose('trace'), 'for traces', { logLevel: 'trace' }],
    [verbose('debug'), 'for a detailed log', { logLevel: 'debug' }],
    [quiet('error'), 'for errors alone', { logLevel: 'error' }],
    [quiet('fatal'), 'for fatal errors alone', { logLevel: 'fatal' }],
    [quiet('silent'), 'for a silent log', { logLevel: 'silent' }],
    ['there is no owner among the staff: open the link', 'without an owner', {}, { owners: 0 }],
    [
      'LATCHKEY_WEBHOOK_ALLOW_PRIVATE lets staff make the server call addresses inside of your network',
      'for private webhooks',
      { allowsPrivateWebhooks: true },
    ],
    ['LATCHKEY_PASSWORD_MIN_LENGTH is 7: shorter passwords', 'for 7 characters', { passwordMinLength: 7 }],
    [openFolder, 'for a data folder that a group can read', {}, { dataFolderMode: 0o40740 }],
    [openFolder, 'for a data folder that everybody can enter', {}, { dataFolderMode: 0o40701 }],
  ])('%s … (%s)', (message, _, config, context) => {
    expect(warningsOf(config, context)).toStrictEqual([expect.stringContaining(message)]);
  });
});

it('a number of proxies above three leads to two warnings', () => {
  expect(warningsOf({ trustProxy: 4 })).toStrictEqual([
    expect.stringContaining('without passing all 4 of them'),
    'LATCHKEY_TRUST_PROXY is 4, which is many proxies: check the number',
  ]);
});

it('the most serious warnings come first: the network, limits, backups, the log, and access', () => {
  const config = { host: '10.0.0.1', ...limits({ signup: 0 }), ...backups({ keep: 1 }), logRequests: 'all' as const };
  expect(warningsOf(config, { owners: 0 })).toStrictEqual([
    expect.stringContaining(plainHttp),
    expect.stringContaining('rate limits'),
    expect.stringContaining('LATCHKEY_BACKUP_KEEP'),
    expect.stringContaining('LATCHKEY_LOG_REQUESTS'),
    expect.stringContaining('no owner'),
  ]);
});
