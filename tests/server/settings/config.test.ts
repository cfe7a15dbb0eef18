/** The settings: their defaults, their formats, and errors that name the variable. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../server/settings/config.ts';
import { day } from '../../harness/fake-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchkey-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the settings', () => {
  it('have the documented defaults', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8470,
      accessTokenTtlMs: 3_600_000,
      refreshTokenTtlMs: 604_800_000,
      rateLimits: { login: 5, signup: 3, license: 30, key_validate: 120, default: 60 },
      uniformLoginErrors: false,
      passwordMinLength: 8,
      trial: undefined,
      tls: undefined,
      trustProxy: undefined,
    });
    expect(config.databaseFile).toBe(join(process.cwd(), 'data', 'latchkey.db'));
    expect(config.secretsFile).toBe(join(process.cwd(), 'data', 'secrets.json'));
    expect(readConfig({ LATCHKEY_TRIAL_PLAN: 'standard' }).trial).toEqual({ plan: 'standard', days: 14 });
  });

  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
  ])('accept %s as a duration', (text, milliseconds) => {
    expect(readConfig({ LATCHKEY_ACCESS_TOKEN_TTL: text }).accessTokenTtlMs).toBe(milliseconds);
  });

  it('accept hop counts and addresses of proxies', () => {
    expect(readConfig({ LATCHKEY_TRUST_PROXY: '2' }).trustProxy).toBe(2);
    expect(readConfig({ LATCHKEY_TRUST_PROXY: '10.0.0.1, fd00::/8' }).trustProxy).toEqual(['10.0.0.1', 'fd00::/8']);
  });

  it.each(['redis://localhost', 'rediss://user:p%40ss@[::1]:6380/2'])('accept %s as a Redis server', (url) => {
    expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
  });

  describe('that are secrets', () => {
    const write = (text: string): string => {
      const path = join(mkdtempSync(join(folder, 'secret-')), 'secret');
      writeFileSync(path, text);
      return path;
    };

    it.each(['\n', '\r\n', ''])('can be read from a file that ends with %j', (end) => {
      const url = 'postgres://latchkey:s3cret@db.internal/latchkey';
      const config = readConfig({
        DATABASE_URL_FILE: write(`${url}${end}`),
        LATCHKEY_METRICS_TOKEN_FILE: write(`a-token-of-metrics${end}`),
        REDIS_URL_FILE: write(`redis://localhost${end}`),
      });
      expect(config).toMatchObject({
        databaseUrl: url,
        metricsToken: 'a-token-of-metrics',
        redisUrl: 'redis://localhost',
      });
      expect(JSON.stringify(config.settings)).not.toContain('s3cret');
    });

    it('can be named in the settings file', () => {
      const path = write(`DATABASE_URL_FILE=${write('postgres://db.internal/latchkey')}\n`);
      expect(readConfig({ LATCHKEY_ENV_FILE: path }).databaseUrl).toBe('postgres://db.internal/latchkey');
    });

    it.each([
      ['both', { DATABASE_URL: 'postgres://one' }, 'postgres://two', 'DATABASE_URL and DATABASE_URL_FILE are both set'],
      ['an empty file', {}, '\n', 'DATABASE_URL_FILE is wrong: PATH is empty'],
      ['a wrong value', {}, 'mysql://u:s3cret@db', 'DATABASE_URL is wrong'],
    ])('are refused with %s, without revealing their value', (_what, given, text, message) => {
      const path = write(text);
      const read = () => readConfig({ ...given, DATABASE_URL_FILE: path });
      expect(read).toThrow(message.replace('PATH', path));
      expect(read).not.toThrow(/s3cret|postgres:\/\/two/);
    });

    it('are refused if their file cannot be read', () => {
      const path = join(folder, 'nothing');
      expect(() => readConfig({ LATCHKEY_SMTP_URL_FILE: path })).toThrow(
        `LATCHKEY_SMTP_URL_FILE is wrong: ${path} cannot be read`,
      );
    });

    it.each(['LATCHKEY_PORT_FILE', 'LATCHKEY_PUBLIC_URL_FILE', 'LATCHKEY_TOKEN_FILE'])(
      'are the only ones that can be read from a file: %s is unknown',
      (name) => {
        expect(() => readConfig({ [name]: write('1') })).toThrow(`${name} is not a setting`);
      },
    );
  });

  const oidc = {
    LATCHKEY_OIDC_ISSUER: 'https://login.example.com/realms/staff/',
    LATCHKEY_OIDC_CLIENT_ID: 'latchkey',
    LATCHKEY_OIDC_CLIENT_SECRET: 'hidden',
    LATCHKEY_OIDC_ROLES: ' /admins = owner , cn=help desk=support',
  };

  it('accept the identity provider of staff, whose group names may contain =', () => {
    expect(readConfig({}).oidc).toBeUndefined();
    const config = readConfig(oidc);
    expect(config.oidc).toEqual({
      issuer: 'https://login.example.com/realms/staff/',
      clientId: 'latchkey',
      clientSecret: 'hidden',
      roles: new Map([
        ['/admins', 'owner'],
        ['cn=help desk', 'support'],
      ]),
      claim: 'groups',
    });
    expect(JSON.stringify(config.settings)).not.toContain('hidden');
    expect(readConfig({ ...oidc, LATCHKEY_OIDC_ISSUER: 'http://127.0.0.1:9000' }).oidc).toBeDefined();
  });

  it('name what single sign-on also requires, including the public address if other machines reach the server', () => {
    const { LATCHKEY_OIDC_ROLES: _roles, LATCHKEY_OIDC_CLIENT_ID: _id, ...some } = oidc;
    expect(() => readConfig(some)).toThrow(
      'LATCHKEY_OIDC_ISSUER, LATCHKEY_OIDC_CLIENT_SECRET set without LATCHKEY_OIDC_CLIENT_ID, LATCHKEY_OIDC_ROLES: single sign-on needs them all',
    );
    expect(() => readConfig({ ...oidc, LATCHKEY_TRUST_PROXY: '1' })).toThrow(
      /LATCHKEY_OIDC_ISSUER is set without LATCHKEY_PUBLIC_URL/,
    );
  });

  it('never quote a URL in errors, since it may contain a password', () => {
    expect(() => readConfig({ REDIS_URL: 'redis://user:hidden@host/x' })).toThrow(/^(?!.*hidden).*REDIS_URL/);
  });

  it('treat an empty value as unset', () => {
    expect(readConfig({ LATCHKEY_PORT: '', DATABASE_URL: '' }).port).toBe(8470);
  });

  it('treat an empty list of reminders as none, in the environment and in the settings file', () => {
    expect(readConfig({}).remindMs).toEqual([14 * day, 3 * day]);
    expect(readConfig({ LATCHKEY_REMIND: '90s, 12h,30d' }).remindMs).toEqual([90_000, 43_200_000, 30 * day]);
    const path = join(folder, 'reminders.env');
    writeFileSync(path, 'LATCHKEY_REMIND=\n');
    for (const environment of [{ LATCHKEY_REMIND: '' }, { LATCHKEY_ENV_FILE: path }]) {
      const config = readConfig(environment);
      expect(config.remindMs).toEqual([]);
      const setting = config.settings.find(({ name }) => name === 'LATCHKEY_REMIND');
      expect(setting).toMatchObject({ value: '', is_default: false });
    }
  });

  it.each([
    ['LATCHKEY_PORT', '80a'],
    ['LATCHKEY_BILLING_SECRET', 'whsec_c2hvcnQ='],
    ['LATCHKEY_BILLING_PRICES', 'price_1'],
    ['LATCHKEY_BILLING_PRICES', 'price_1=standard,=advanced'],
    ['LATCHKEY_WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['LATCHKEY_REMIND', '14'],
    ['LATCHKEY_REMIND', '14d,,3d'],
    ['LATCHKEY_REMIND', '3d,72h'],
    ['LATCHKEY_REMIND', '3651d'],
    ['LATCHKEY_REMIND', '1d,2d,3d,4d,5d,6d,7d,8d,9d,10d,11d'],
    ['LATCHKEY_ACCESS_TOKEN_TTL', '3600'],
    ['LATCHKEY_RATE_LOGIN', 'none'],
    ['LATCHKEY_RATE_SIGNUP', '-1'],
    ['LATCHKEY_RATE_LICENSE', '1.5'],
    ['LATCHKEY_RATE_KEY_VALIDATE', '1e3'],
    ['LATCHKEY_TRUST_PROXY', 'everybody'],
    ['LATCHKEY_TRIAL_DAYS', '0'],
    ['LATCHKEY_PORT', '65536'],
    ['LATCHKEY_PORT', '-1'],
    ['LATCHKEY_ACCESS_TOKEN_TTL', '1'],
    ['LATCHKEY_ACCESS_TOKEN_TTL', '0s'],
    ['LATCHKEY_REFRESH_TOKEN_TTL', '1 week'],
    ['LATCHKEY_UNIFORM_LOGIN_ERRORS', 'true'],
    ['LATCHKEY_PASSWORD_MIN_LENGTH', '0'],
    ['LATCHKEY_TRUST_PROXY', 'true'],
    ['LATCHKEY_TRUST_PROXY', '10.0.0.0/33'],
    ['LATCHKEY_LOG_LEVEL', 'loud'],
    ['LATCHKEY_TLS_CERT', 'cert.pem'],
    ['LATCHKEY_TRIAL_DAYS', '14'],
    ['LATCHKEY_HOST', '0.0.0.0'],
    ['LATCHKEY_PROT', '8470'],
    ['LATCHKEY_ENV_FILE', join(folder, 'missing')],
    ['LATCHKEY_OIDC_ISSUER', 'login.example.com'],
    ['LATCHKEY_OIDC_ISSUER', 'http://login.example.com'],
    ['LATCHKEY_OIDC_ISSUER', 'https://user@login.example.com'],
    ['LATCHKEY_OIDC_ISSUER', 'https://login.example.com?tenant=1'],
    ['LATCHKEY_OIDC_ISSUER', 'https://login.example.com'],
    ['LATCHKEY_OIDC_CLIENT_SECRET', 'alone'],
    ['LATCHKEY_OIDC_CLAIM', 'roles'],
    ['LATCHKEY_OIDC_ROLES', 'admins'],
    ['LATCHKEY_OIDC_ROLES', '=owner'],
    ['LATCHKEY_OIDC_ROLES', 'admins=owner,'],
    ['LATCHKEY_OIDC_ROLES', 'admins=king'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'http://localhost'],
    ['REDIS_URL', 'redis:///0'],
    ['REDIS_URL', 'redis://host/cache'],
    ['REDIS_URL', 'redis://user:%ZZ@host'],
  ])('reject %s=%s with a one-line error that names it', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*$`));
  });

  it('report all errors at once, without secrets and without errors that only follow from others', () => {
    const file = join(folder, 'wrong.env');
    writeFileSync(file, 'LATCHKEY_TYPO=1\nLATCHKEY_RATE_LOGIN=none\n');
    const read = () =>
      readConfig({
        LATCHKEY_ENV_FILE: file,
        LATCHKEY_PORT: 'eighty',
        LATCHKEY_TLS_CERT: 'cert.pem',
        LATCHKEY_CONFIRM_EMAIL: '1',
        LATCHKEY_SMTP_URL: 'http://user:hidden@mail.example',
      });
    expect(read).toThrow(
      [
        '5 settings are wrong: LATCHKEY_TYPO is not a setting: check its spelling, or unset it',
        'LATCHKEY_PORT is wrong: it must be a whole number from 0 to 65535',
        'LATCHKEY_SMTP_URL is wrong: it must be a URL such as smtp://user:password@mail.example.com:587, or smtps://… for TLS from the start',
        'LATCHKEY_RATE_LOGIN is wrong: it must be a whole number from 0 to 100000000',
        'LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY belong together: set both or neither',
      ].join('; '),
    );
  });

  it('report other errors even if the file cannot be read, but not those that the file might resolve', () => {
    const settings = { LATCHKEY_ENV_FILE: join(folder, 'missing'), LATCHKEY_PORT: 'x', LATCHKEY_TLS_CERT: 'cert.pem' };
    expect(() => readConfig(settings)).toThrow(
      /^2 settings are wrong: LATCHKEY_ENV_FILE[^\n]*LATCHKEY_PORT[^\n]*65535$/,
    );
  });

  it.each([
    { LATCHKEY_ALLOW_HTTP: '1' },
    { LATCHKEY_TRUST_PROXY: '1' },
    { LATCHKEY_TLS_CERT: 'cert.pem', LATCHKEY_TLS_KEY: 'key.pem' },
  ])('allow other machines to reach the server with %j', (environment) => {
    expect(readConfig({ LATCHKEY_HOST: '0.0.0.0', ...environment }).host).toBe('0.0.0.0');
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('do not require encryption on %s', (host) => {
    expect(readConfig({ LATCHKEY_HOST: host }).host).toBe(host);
  });

  it('are also read from a file, and the environment takes precedence', () => {
    const file = join(folder, 'settings.env');
    writeFileSync(file, '# settings\nLATCHKEY_PORT=1234\nLATCHKEY_RATE_LOGIN="7"\nOTHER=x\n');
    const config = readConfig({ LATCHKEY_ENV_FILE: file, LATCHKEY_PORT: '4321' });
    expect(config.port).toBe(4321);
    expect(config.rateLimits.login).toBe(7);
    writeFileSync(file, 'LATCHKEY_TYPO=1\n');
    expect(() => readConfig({ LATCHKEY_ENV_FILE: file })).toThrow('LATCHKEY_TYPO');
  });
});
