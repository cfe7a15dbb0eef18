/**
 * All settings of the server, in one place. Parsing, `--help` and the table in server/docs/settings.md derive from it.
 */
import { z } from 'zod';
import type { ServerInfo } from '../../shared/api/admin/server.ts';
import * as parsers from './setting-parsers.ts';

export type Setting = {
  /** Parses the text of the variable. Its error message completes "LATCHKEY_X is wrong: …". */
  readonly parser: z.ZodType<unknown, string>;
  /** Text that applies when the variable is not set. */
  readonly default?: string;
  /** True if an empty text is a value. Otherwise it counts as not set. */
  readonly mayBeEmpty?: true;
  /** Describes what applies without a default; `none` if left out. */
  readonly unset?: string;
  /** Markdown, for operators. */
  readonly meaning: string;
};

const rateLimit = parsers.wholeNumber(0, 100_000_000);

export const settingsTable = {
  LATCHKEY_ENV_FILE: {
    parser: parsers.text,
    meaning: 'A file with further settings, one `NAME=value` per line. The environment takes precedence.',
  },
  LATCHKEY_HOST: {
    parser: parsers.text,
    default: '127.0.0.1',
    meaning: 'The address to listen on.',
  },
  LATCHKEY_PORT: {
    parser: parsers.wholeNumber(0, 65_535),
    default: '8470',
    meaning: 'The port to listen on. 0 picks a free one.',
  },
  LATCHKEY_DATA: {
    parser: parsers.text,
    default: './data',
    meaning: 'The folder for the database, secrets and backups, created with mode 0700.',
  },
  DATABASE_URL: {
    parser: parsers.postgresUrl,
    unset: 'none, SQLite in the data folder',
    meaning:
      'A PostgreSQL database: `postgres://…`. Several servers can use it, and then share their rate limits. Each process opens at most 19 connections. PgBouncer is supported, also with transaction pooling.',
  },
  REDIS_URL: {
    parser: parsers.redisUrl,
    meaning:
      'A Redis server in which several servers share their rate limits: `redis://…`, or `rediss://…` for TLS. While it is unavailable, every server counts on its own.',
  },
  LATCHKEY_SECRETS_FILE: {
    parser: parsers.text,
    unset: '`secrets.json` in the data folder',
    meaning:
      'The file with the master key and the pepper, created at the first start with mode 0600. It is refused while the group or other users can read it or replace it. For containers, see server/docs/keys.md.',
  },
  LATCHKEY_TLS_CERT: {
    parser: parsers.text,
    unset: 'none, plain HTTP',
    meaning: 'The certificate chain for HTTPS, a PEM file. A renewed one is used within 10 seconds, without a restart.',
  },
  LATCHKEY_TLS_KEY: {
    parser: parsers.text,
    unset: 'none, plain HTTP',
    meaning: 'The private key of the certificate, a PEM file. It is refused while every user can read it.',
  },
  LATCHKEY_TRUST_PROXY: {
    parser: parsers.trustProxy,
    meaning: 'The trusted proxies in front: how many there are, or their addresses, such as `10.0.0.1,10.1.0.0/16`.',
  },
  LATCHKEY_ALLOW_HTTP: {
    parser: parsers.onOff,
    default: '0',
    meaning: '`1` allows unencrypted HTTP on a host that is not loopback, even without a proxy.',
  },
  LATCHKEY_PUBLIC_URL: {
    parser: parsers.publicUrl,
    unset: 'the address of each request',
    meaning:
      'The address under which browsers and apps reach the server: `https://licenses.example.com`, or with [a path](tls.md#below-a-path), `https://example.com/latchkey`. It is in links to the admin page and in mails, and passkeys belong to its host name.',
  },
  LATCHKEY_SMTP_URL: {
    parser: parsers.smtpUrl,
    unset: 'none, no mail is sent',
    meaning:
      'The server that sends mail: `smtp://user:password@mail.example.com:587`, or `smtps://…` for TLS from the start. Mail is sent over TLS only (`STARTTLS`, or `smtps://`), unless the mail server is on this machine. Requires `LATCHKEY_PUBLIC_URL`, unless only this machine can reach the server.',
  },
  LATCHKEY_MAIL_FROM: {
    parser: parsers.mailSender,
    unset: '`licenses@` and the host of `LATCHKEY_PUBLIC_URL`',
    meaning: 'The sender of mails: `licenses@example.com` or `Example <licenses@example.com>`.',
  },
  LATCHKEY_CONFIRM_EMAIL: {
    parser: parsers.onOff,
    default: '0',
    meaning:
      '`1` mails a link to confirm the email address of each new account. The account can be used at once, but a trial (`LATCHKEY_TRIAL_PLAN`) starts only when the address is confirmed. Requires `LATCHKEY_SMTP_URL`.',
  },
  LATCHKEY_REMIND: {
    parser: parsers.durations,
    default: '14d,3d',
    mayBeEmpty: true,
    meaning:
      'How long before a license, a trial or a subscription that will not renew ends its account is reminded, by mail and by an event; empty for never.',
  },
  LATCHKEY_OIDC_ISSUER: {
    parser: parsers.oidcIssuer,
    unset: 'none, no single sign-on',
    meaning:
      'The identity provider with which staff sign in to the admin page (OpenID Connect): its issuer, such as `https://login.example.com/realms/staff`. Requires the client, its secret, the roles, and `LATCHKEY_PUBLIC_URL` unless only this machine can reach the server.',
  },
  LATCHKEY_OIDC_CLIENT_ID: {
    parser: parsers.text,
    meaning:
      'The client that is registered for this server at the provider, with the redirect URI `/admin/oidc/callback` below `LATCHKEY_PUBLIC_URL`.',
  },
  LATCHKEY_OIDC_CLIENT_SECRET: {
    parser: parsers.text,
    meaning: 'The secret of that client.',
  },
  LATCHKEY_OIDC_ROLES: {
    parser: parsers.groupRoles,
    meaning:
      'The role of each group at the provider: `admins=owner,helpdesk=support`. A person in several groups has the highest of their roles; a person in none cannot sign in.',
  },
  LATCHKEY_OIDC_CLAIM: {
    parser: parsers.text,
    default: 'groups',
    meaning: 'The claim of the provider that lists the groups of a person.',
  },
  LATCHKEY_ACCESS_TOKEN_TTL: {
    parser: parsers.duration,
    default: '1h',
    meaning: 'How long an access token is valid: `90s`, `15m`, `1h`, `7d`.',
  },
  LATCHKEY_REFRESH_TOKEN_TTL: {
    parser: parsers.duration,
    default: '7d',
    meaning: 'How long a refresh token is valid. Every refresh starts this time again.',
  },
  LATCHKEY_LEASE_TTL: {
    parser: parsers.duration,
    default: '14d',
    meaning:
      'How long a signed lease lasts, unless its plan says otherwise (`plan set --lease-days`). It never lasts beyond the end of the license, or of the subscription that the license depends on.',
  },
  LATCHKEY_KEY_ROTATION: {
    parser: parsers.durationOrOff,
    default: 'off',
    meaning:
      'After how long the key that signs access tokens is replaced, such as `90d`. Nobody is signed out. Keys of leases are left to `key rotate`, because apps may have them built in.',
  },
  LATCHKEY_RATE_LOGIN: {
    parser: rateLimit,
    default: '5',
    meaning:
      'Sign-ins per minute and client; a network (IPv4 /24, IPv6 /48) may make 20 times as many. Per account, it also applies to exports and to requests that ask a signed-in user for the password. 0 removes this limit and those below; networks from which an account has never signed in always share 20 password attempts per minute on it.',
  },
  LATCHKEY_RATE_SIGNUP: {
    parser: rateLimit,
    default: '3',
    meaning: 'Sign-ups per minute and client.',
  },
  LATCHKEY_RATE_LICENSE: {
    parser: rateLimit,
    default: '30',
    meaning: 'Requests per minute and client to all license endpoints together.',
  },
  LATCHKEY_RATE_KEY_VALIDATE: {
    parser: rateLimit,
    default: '120',
    meaning: 'API key validations per minute and client.',
  },
  LATCHKEY_RATE_DEFAULT: {
    parser: rateLimit,
    default: '60',
    meaning: 'Requests per minute and client to each other endpoint.',
  },
  LATCHKEY_SIGN_UP: {
    parser: parsers.signUpMode,
    default: 'open',
    meaning:
      'Who may create an account: `open`, anybody; `invited`, only people whom you invite (`user invite`, or the admin page).',
  },
  LATCHKEY_PASSWORD_MIN_LENGTH: {
    parser: parsers.wholeNumber(1, 128),
    default: '8',
    meaning: 'The minimum length of a password, in characters.',
  },
  LATCHKEY_UNIFORM_LOGIN_ERRORS: {
    parser: parsers.onOff,
    default: '0',
    meaning: '`1` hides whether an account exists when a sign-in fails.',
  },
  LATCHKEY_ACCOUNT_PAGE: {
    parser: parsers.onOff,
    default: '1',
    meaning: '`0` serves no account page at `/account`.',
  },
  LATCHKEY_TRIAL_PLAN: {
    parser: parsers.text,
    meaning: 'The plan of the trial subscription that new accounts get.',
  },
  LATCHKEY_TRIAL_DAYS: {
    parser: parsers.wholeNumber(1, 3650),
    default: '14',
    meaning: 'How many days the trial lasts. Requires `LATCHKEY_TRIAL_PLAN`.',
  },
  LATCHKEY_BILLING_SECRET: {
    parser: parsers.webhookSecret,
    unset: 'none, no such webhook',
    meaning:
      'The secret of the billing webhook `/api/v1/billing/webhook`, as in Standard Webhooks: `whsec_` and base64.',
  },
  LATCHKEY_STRIPE_WEBHOOK_SECRET: {
    parser: parsers.text,
    unset: 'none, no such webhook',
    meaning: 'The signing secret of the webhook `/api/v1/billing/stripe` in the dashboard of Stripe.',
  },
  LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET: {
    parser: parsers.text,
    unset: 'none, no such webhook',
    meaning: 'The signing secret of the webhook `/api/v1/billing/lemonsqueezy` in Lemon Squeezy.',
  },
  LATCHKEY_BILLING_PRICES: {
    parser: parsers.pricePlans,
    meaning:
      'The plans of the prices at Stripe, or the variants at Lemon Squeezy: `price_1=standard,price_2=advanced`.',
  },
  LATCHKEY_BILLING_ISSUE: {
    parser: parsers.onOff,
    default: '0',
    meaning:
      '`1` issues a license that depends on the subscription with the first event that gives an account access, if the account has none, and mails its key, with a link to set a password if there is none.',
  },
  LATCHKEY_WEBHOOK_ALLOW_PRIVATE: {
    parser: parsers.onOff,
    default: '0',
    meaning: '`1` also sends events to webhook endpoints at private, loopback and link-local addresses.',
  },
  LATCHKEY_GITHUB_SCANNING_KEYS: {
    parser: parsers.text,
    meaning:
      'A file with the public keys by which GitHub signs the API keys that its secret scanning finds: the JSON of `https://api.github.com/meta/public_keys/secret_scanning`. With it, `POST /api/v1/metrics/api-key/github` revokes what GitHub reports.',
  },
  LATCHKEY_RETENTION: {
    parser: parsers.duration,
    default: '365d',
    meaning:
      'How long history is stored: released devices (at least 30 days), revoked API keys, ended sessions, billing events and the audit log (at least 7 days). Deliveries of events are stored for 30 days at most. Refresh tokens are stored for 30 days after they expired (used ones for a day), device activity for a day.',
  },
  LATCHKEY_BACKUP_EVERY: {
    parser: parsers.duration,
    unset: 'none, no backups on a schedule',
    meaning:
      'How often a backup is taken: `15m`, `24h`. Each one is restored into a temporary folder, checked and counted before it counts as a backup.',
  },
  LATCHKEY_BACKUP_KEEP: {
    parser: parsers.wholeNumber(1, 10_000),
    default: '7',
    meaning: 'How many backups are kept. Older ones are deleted after a new one is proven.',
  },
  LATCHKEY_BACKUP_FOLDER: {
    parser: parsers.text,
    unset: '`backups` in the data folder',
    meaning:
      'The folder for backups on a schedule, created with mode 0700. It should be on another disk than the data.',
  },
  LATCHKEY_BACKUP_PASSPHRASE_FILE: {
    parser: parsers.text,
    meaning:
      'A file with the passphrase that backups are encrypted with, in the format of `age` (age-encryption.org). It is refused while every user can read it. Keep a copy elsewhere: without it the backups are useless.',
  },
  LATCHKEY_BACKUP_RECIPIENT: {
    parser: parsers.ageRecipient,
    meaning:
      'The public key that backups are encrypted to, `age1…` from `age-keygen`. They can be restored only with its private key, which the server does not have.',
  },
  LATCHKEY_LOG_LEVEL: {
    parser: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    meaning:
      '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. The log is JSON lines on standard error, without secrets.',
  },
  LATCHKEY_METRICS_TOKEN: {
    parser: parsers.token,
    unset: 'none, `/metrics` responds to programs on this machine only',
    meaning:
      'The token with which `/metrics` is read, sent as `Authorization: Bearer`; then it is required on this machine too. At least 16 characters.',
  },
  LATCHKEY_LOG_REQUESTS: {
    parser: z.enum(['notable', 'all']),
    default: 'notable',
    meaning:
      '`notable` logs a line for each request that was refused, failed or took a second (at most 500 a minute), and a summary of all others each minute. `all` logs a line for each request, up to a second later.',
  },
} as const satisfies Record<string, Setting>;

type Table = typeof settingsTable;

export type SettingName = keyof Table;

/** The value of every setting; `undefined` for one that is not set and has no default. */
export type SettingValues = {
  readonly [N in SettingName]:
    | z.output<Table[N]['parser']>
    | (Table[N] extends { default: string } ? never : undefined);
};

/** Returns the default of a setting, as Markdown. */
export function describeDefault(setting: Setting): string {
  return setting.default === undefined ? (setting.unset ?? 'none') : `\`${setting.default}\``;
}

/** Returns true if the variable is set. An empty text counts as not set, unless the setting allows it as a value. */
export function isGiven(name: string, text: string | undefined): text is string {
  if (text !== '') return text !== undefined;
  const setting: Setting | undefined = settingsTable[name as SettingName];
  return setting?.mayBeEmpty === true;
}

/** Returns the effective settings of an environment, with secrets masked. */
export function describeSettings(environment: Readonly<Record<string, string | undefined>>): ServerInfo['settings'] {
  const names = Object.keys(settingsTable) as SettingName[];
  return names.map((name) => {
    const setting: Setting = settingsTable[name];
    const { meaning } = setting;
    const text = environment[name];
    if (!isGiven(name, text)) return { name, value: setting.default ?? null, is_default: true, meaning };
    return { name, value: mask(name, text), is_default: false, meaning };
  });
}

const masked = '•••';

/**
 * Returns what must not be shown of a setting: its whole value, or the password in its URL. The name decides, so that
 * later settings are masked too. A name that ends in FILE or KEY is that of a file.
 */
function secretIn(name: SettingName): 'value' | 'url' | undefined {
  if (/_(?:SECRET|TOKEN|PASSWORD|PASSPHRASE)$/.test(name)) return 'value';
  return name.endsWith('_URL') ? 'url' : undefined;
}

/** Returns true if the setting is a secret, so that `NAME_FILE` may name a file that contains it. */
export function mayBeInFile(name: SettingName): boolean {
  return secretIn(name) !== undefined && name !== 'LATCHKEY_PUBLIC_URL';
}

function mask(name: SettingName, text: string): string {
  const secret = secretIn(name);
  if (secret === undefined) return text;
  if (secret === 'value' || !URL.canParse(text)) return masked;
  const { protocol, username, password, host, pathname, search } = new URL(text);
  const user = username + (password === '' ? '' : `:${masked}`);
  // Drivers also accept a password in the query.
  return `${protocol}//${user === '' ? '' : `${user}@`}${host}${pathname}${search === '' ? '' : `?${masked}`}`;
}

/** Returns the settings as plain text for `--help`. */
export function formatSettings(names: readonly SettingName[] = Object.keys(settingsTable) as SettingName[]): string {
  const entries = names.map((name) => {
    const setting: Setting = settingsTable[name];
    return `  ${name} (default: ${describeDefault(setting)})\n      ${setting.meaning}`;
  });
  const inFiles = names.filter(mayBeInFile);
  const note = inFiles.length === 0 ? [] : [`  ${describeSecretFiles(inFiles)}`];
  return [...entries, ...note].join('\n').replaceAll('`', '');
}

/** Says which of the settings may be given as a file, in Markdown. */
export function describeSecretFiles(names: readonly SettingName[]): string {
  const all = names.filter(mayBeInFile).map((name) => `\`${name}\``);
  return `Each of ${all.join(', ')} may instead be the content of a file: name it in the variable of that name with \`_FILE\` at its end, such as \`${names.find(mayBeInFile)}_FILE\`.`;
}
