/** Which settings contradict each other, what the message says, and when a contradiction cannot be determined. */
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../server/settings/read-settings.ts';
import { findContradictions, isProtected } from '../../../server/settings/setting-contradictions.rules.ts';
import { type SettingName, settingsTable } from '../../../server/settings/settings-table.ts';

type Texts = Partial<Record<SettingName, string>>;

const defaults = readSettings({}).values;
const valuesOf = (texts: Texts) => {
  const entries = Object.entries(texts) as [SettingName, string][];
  return {
    ...defaults,
    ...Object.fromEntries(entries.map(([name, text]) => [name, settingsTable[name].parser.parse(text)])),
  };
};
const contradictionsOf = (texts: Texts, wrong: readonly SettingName[] = []) =>
  findContradictions(texts, valuesOf(texts), wrong);

const tls: Texts = { LATCHKEY_TLS_CERT: 'a.pem', LATCHKEY_TLS_KEY: 'b.pem' };
const mail: Texts = { LATCHKEY_SMTP_URL: 'smtp://mail.example.com' };
const url: Texts = { LATCHKEY_PUBLIC_URL: 'https://a.example' };
const proxy: Texts = { LATCHKEY_TRUST_PROXY: '127.0.0.1' };
const oidc: Texts = {
  LATCHKEY_OIDC_ISSUER: 'https://login.example.com',
  LATCHKEY_OIDC_CLIENT_ID: 'latchkey',
  LATCHKEY_OIDC_CLIENT_SECRET: 's3cret',
  LATCHKEY_OIDC_ROLES: 'admins=owner',
};

describe('compatible settings', () => {
  it.each<[string, Texts]>([
    ['the defaults', {}],
    ['a certificate and its key', tls],
    ['a trial', { LATCHKEY_TRIAL_DAYS: '14', LATCHKEY_TRIAL_PLAN: 'pro' }],
    ['a trial of the usual length', { LATCHKEY_TRIAL_PLAN: 'pro' }],
    ['a passphrase file', { LATCHKEY_BACKUP_PASSPHRASE_FILE: 'p' }],
    ['a recipient', { LATCHKEY_BACKUP_RECIPIENT: 'age1qqqqqqqqqqqqqqqqqq' }],
    ['addresses that are confirmed by mail', { LATCHKEY_CONFIRM_EMAIL: '1', ...mail }],
    ['addresses that are not confirmed', { LATCHKEY_CONFIRM_EMAIL: '0' }],
    ['mail of a server that only this machine reaches', mail],
    ['mail behind a proxy with a public URL', { ...mail, ...proxy, ...url }],
    ['mail of a server with a certificate and a public URL', { ...mail, ...tls, ...url, LATCHKEY_HOST: '0.0.0.0' }],
    ['single sign-on', oidc],
    ['single sign-on with another claim', { ...oidc, LATCHKEY_OIDC_CLAIM: 'roles' }],
    ['single sign-on behind a proxy with a public URL', { ...oidc, ...proxy, ...url }],
    ['a host that others reach with a certificate', { LATCHKEY_HOST: '0.0.0.0', ...tls }],
    ['a host that others reach behind a proxy', { LATCHKEY_HOST: '0.0.0.0', ...proxy }],
    ['a host that others reach without encryption on purpose', { LATCHKEY_HOST: '0.0.0.0', LATCHKEY_ALLOW_HTTP: '1' }],
    ['a host of this machine without encryption', { LATCHKEY_HOST: 'localhost' }],
  ])('produce no message: %s', (_, texts) => {
    expect(contradictionsOf(texts)).toStrictEqual([]);
  });
});

const pair = 'LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY belong together: set both or neither';
const pairSettings: SettingName[] = ['LATCHKEY_TLS_CERT', 'LATCHKEY_TLS_KEY'];
const mailUrl = 'LATCHKEY_SMTP_URL is set without LATCHKEY_PUBLIC_URL: set it too, since mails contain links';
const mailSettings: SettingName[] = ['LATCHKEY_SMTP_URL', 'LATCHKEY_PUBLIC_URL', 'LATCHKEY_TRUST_PROXY'];
const oidcSettings = Object.keys(oidc) as SettingName[];

const contradictions: readonly [message: string, texts: Texts, settings: readonly SettingName[]][] = [
  [pair, { LATCHKEY_TLS_CERT: 'a.pem' }, pairSettings],
  [pair, { LATCHKEY_TLS_KEY: 'b.pem' }, pairSettings],
  [
    'LATCHKEY_TRIAL_DAYS is set without LATCHKEY_TRIAL_PLAN: set the plan of the trial as well',
    { LATCHKEY_TRIAL_DAYS: '14' },
    ['LATCHKEY_TRIAL_DAYS', 'LATCHKEY_TRIAL_PLAN'],
  ],
  [
    'LATCHKEY_BACKUP_PASSPHRASE_FILE and LATCHKEY_BACKUP_RECIPIENT exclude each other: set one of them',
    { LATCHKEY_BACKUP_PASSPHRASE_FILE: 'p', LATCHKEY_BACKUP_RECIPIENT: 'age1qqqqqqqqqqqqqqqqqq' },
    ['LATCHKEY_BACKUP_PASSPHRASE_FILE', 'LATCHKEY_BACKUP_RECIPIENT'],
  ],
  [
    'LATCHKEY_CONFIRM_EMAIL is set without LATCHKEY_SMTP_URL: set the server that sends mail too',
    { LATCHKEY_CONFIRM_EMAIL: '1' },
    ['LATCHKEY_CONFIRM_EMAIL', 'LATCHKEY_SMTP_URL'],
  ],
  [mailUrl, { ...mail, ...proxy }, mailSettings],
  [mailUrl, { ...mail, ...tls, LATCHKEY_HOST: '0.0.0.0' }, mailSettings],
  [
    'LATCHKEY_OIDC_ISSUER, LATCHKEY_OIDC_ROLES set without LATCHKEY_OIDC_CLIENT_ID, LATCHKEY_OIDC_CLIENT_SECRET: single sign-on needs them all',
    { LATCHKEY_OIDC_ISSUER: oidc.LATCHKEY_OIDC_ISSUER, LATCHKEY_OIDC_ROLES: oidc.LATCHKEY_OIDC_ROLES } as Texts,
    [...oidcSettings, 'LATCHKEY_OIDC_CLAIM'],
  ],
  [
    `LATCHKEY_OIDC_CLAIM set without ${oidcSettings.join(', ')}: single sign-on needs them all`,
    { LATCHKEY_OIDC_CLAIM: 'roles' },
    [...oidcSettings, 'LATCHKEY_OIDC_CLAIM'],
  ],
  [
    'LATCHKEY_OIDC_ISSUER is set without LATCHKEY_PUBLIC_URL: set it too, since the provider sends browsers back to it',
    { ...oidc, ...proxy },
    ['LATCHKEY_OIDC_ISSUER', 'LATCHKEY_PUBLIC_URL', 'LATCHKEY_TRUST_PROXY'],
  ],
  [
    'LATCHKEY_HOST is 0.0.0.0, which other machines can reach without encryption: set LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY, or LATCHKEY_TRUST_PROXY for a proxy in front, or LATCHKEY_ALLOW_HTTP=1',
    { LATCHKEY_HOST: '0.0.0.0' },
    ['LATCHKEY_TLS_CERT', 'LATCHKEY_TRUST_PROXY', 'LATCHKEY_ALLOW_HTTP'],
  ],
];

describe('contradictory settings', () => {
  it.each(contradictions)('have a message: %s', (message, texts) => {
    expect(contradictionsOf(texts)).toStrictEqual([message]);
    expect(contradictionsOf(texts, ['LATCHKEY_PORT'])).toStrictEqual([message]);
  });

  it.each(contradictions)('have none while a setting involved is wrong: %s', (_, texts, settings) => {
    for (const name of settings) expect(contradictionsOf(texts, [name]), name).toStrictEqual([]);
    for (const name of settings) expect(contradictionsOf(texts, ['LATCHKEY_PORT', name]), name).toStrictEqual([]);
  });

  it('have one message each', () => {
    expect(contradictionsOf({ LATCHKEY_TLS_CERT: 'a.pem', LATCHKEY_TRIAL_DAYS: '14' })).toHaveLength(2);
  });
});

it.each<[string, Texts, boolean]>([
  ['without a certificate and a proxy', {}, false],
  ['with a certificate', tls, true],
  ['with a trusted proxy', proxy, true],
])('requests from other machines are encrypted %s: %s', (_, texts, expected) => {
  expect(isProtected(valuesOf(texts))).toBe(expected);
});
