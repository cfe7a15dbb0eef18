/** Reads the settings once, from the environment and a file, into the configuration that the server works with. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { RateBucket } from '../shared/api/endpoints.ts';
import { StartError } from './errors.ts';
import { isLoopback } from './loopback.ts';
import {
  describeSettings,
  type Setting,
  type SettingInForce,
  type SettingValues,
  settingsTable,
} from './settings-table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets of the billing webhooks; one that is not set does not exist. */
export type BillingConfig = {
  readonly webhookSecret: Buffer | undefined;
  readonly stripeSecret: string | undefined;
  readonly lemonSqueezySecret: string | undefined;
  /** The plan of each price. */
  readonly plansByPrice: ReadonlyMap<string, string>;
};

export type MailConfig = {
  /** `smtp://…` or `smtps://…`, with user and password. */
  readonly smtpUrl: URL;
  /** An address, maybe with a name: `Example <licenses@example.com>`. */
  readonly from: string;
};

export type Config = {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Absolute. */
  readonly dataFolder: string;
  /** Used if there is no `databaseUrl`. */
  readonly databaseFile: string;
  /** `postgres://…`, with user and password. */
  readonly databaseUrl: string | undefined;
  /** `redis://…` or `rediss://…`, with user and password. */
  readonly redisUrl: string | undefined;
  readonly secretsFile: string;
  /** Paths of the certificate chain and its key, both PEM. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Whether other machines may reach the server without encryption. */
  readonly allowsPlainHttp: boolean;
  /** Hop count or addresses of the proxies whose X-Forwarded-For is used. */
  readonly trustProxy: number | readonly string[] | undefined;
  /** Under which browsers reach the server. */
  readonly publicUrl: URL | undefined;
  /** How mail is sent; `undefined` if none is. */
  readonly mail: MailConfig | undefined;
  /** Whether new accounts are asked to confirm their email address. */
  readonly confirmEmail: boolean;
  readonly accessTokenTtlMs: number;
  readonly refreshTokenTtlMs: number;
  /** How long leases last whose plan does not say. */
  readonly leaseTtlMs: number;
  /** How old a key that signs may become. */
  readonly keyRotationMs: number | undefined;
  /** Requests per minute; 0 is no limit. */
  readonly rateLimits: Readonly<Record<RateBucket, number>>;
  readonly uniformLoginErrors: boolean;
  readonly passwordMinLength: number;
  readonly trial: { readonly plan: string; readonly days: number } | undefined;
  readonly billing: BillingConfig;
  /** Whether events may be sent to addresses that are not public. */
  readonly allowsPrivateWebhooks: boolean;
  /** The file with the keys of GitHub's secret scanning. */
  readonly githubKeysFile: string | undefined;
  /** How long history is stored. */
  readonly retentionMs: number;
  readonly backups: {
    /** Undefined: none are taken by the server itself. */
    readonly everyMs: number | undefined;
    readonly keep: number;
    readonly folder: string;
    readonly passphraseFile: string | undefined;
    /** `age1…` */
    readonly recipient: string | undefined;
  };
  /** With which other machines read the metrics. */
  readonly metricsToken: string | undefined;
  readonly logLevel: string;
  /** Which requests get a line of their own in the log. */
  readonly logRequests: 'notable' | 'all';
  /** Every setting as it applies, for people, without what is secret. */
  readonly settings: readonly SettingInForce[];
};

/**
 * The settings from an environment, and from the file that its LATCHKEY_ENV_FILE names; the environment takes
 * precedence. An empty value counts as not set. Throws `StartError` naming the variable that is unknown or wrong.
 */
export function readConfig(environment: Environment): Config {
  const file = environment.LATCHKEY_ENV_FILE;
  const merged = { ...(file ? readEnvFile(file) : {}), ...withoutEmpty(environment) };
  rejectUnknown(merged);
  const values = parseSettings(merged);
  rejectContradictions(merged, values);
  return { ...toConfig(values), settings: describeSettings(merged) };
}

function readEnvFile(path: string): Environment {
  try {
    return withoutEmpty(parseEnv(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new StartError(`LATCHKEY_ENV_FILE is wrong: ${path} cannot be read`, { cause: error });
  }
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
}

function rejectUnknown(environment: Environment): void {
  const unknown = Object.keys(environment).find((name) => name.startsWith('LATCHKEY_') && !(name in settingsTable));
  if (unknown) throw new StartError(`${unknown} is not a setting: check its spelling, or unset it`);
}

function parseSettings(environment: Environment): SettingValues {
  const settings: readonly (readonly [string, Setting])[] = Object.entries(settingsTable);
  const values = settings.map(([name, setting]) => {
    const text = environment[name] ?? setting.default;
    if (text === undefined) return [name, undefined];
    const parsed = setting.parser.safeParse(text);
    if (!parsed.success) throw new StartError(`${name} is wrong: ${parsed.error.issues[0]?.message}`);
    return [name, parsed.data];
  });
  return Object.fromEntries(values) as SettingValues;
}

function rejectContradictions(environment: Environment, values: SettingValues): void {
  if (!values.LATCHKEY_TLS_CERT !== !values.LATCHKEY_TLS_KEY) {
    throw new StartError('LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY belong together: set both or neither');
  }
  if (environment.LATCHKEY_TRIAL_DAYS !== undefined && !values.LATCHKEY_TRIAL_PLAN) {
    throw new StartError('LATCHKEY_TRIAL_DAYS is set without LATCHKEY_TRIAL_PLAN: set the plan of the trial as well');
  }
  if (values.LATCHKEY_BACKUP_PASSPHRASE_FILE && values.LATCHKEY_BACKUP_RECIPIENT) {
    throw new StartError(
      'LATCHKEY_BACKUP_PASSPHRASE_FILE and LATCHKEY_BACKUP_RECIPIENT exclude each other: set one of them',
    );
  }
  if (values.LATCHKEY_CONFIRM_EMAIL && !values.LATCHKEY_SMTP_URL) {
    throw new StartError('LATCHKEY_CONFIRM_EMAIL is set without LATCHKEY_SMTP_URL: set the server that sends mail too');
  }
  const isPublic = !isLoopback(values.LATCHKEY_HOST) || values.LATCHKEY_TRUST_PROXY !== undefined;
  if (values.LATCHKEY_SMTP_URL && !values.LATCHKEY_PUBLIC_URL && isPublic) {
    throw new StartError('LATCHKEY_SMTP_URL is set without LATCHKEY_PUBLIC_URL: set it too, since mails contain links');
  }
  if (!isLoopback(values.LATCHKEY_HOST) && !isProtected(values) && !values.LATCHKEY_ALLOW_HTTP) {
    throw new StartError(
      `LATCHKEY_HOST is ${values.LATCHKEY_HOST}, which other machines can reach without encryption: set LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY, or LATCHKEY_TRUST_PROXY for a proxy in front, or LATCHKEY_ALLOW_HTTP=1`,
    );
  }
}

/** By TLS of its own, or that of a proxy. */
function isProtected(values: SettingValues): boolean {
  return values.LATCHKEY_TLS_CERT !== undefined || values.LATCHKEY_TRUST_PROXY !== undefined;
}

function toMailConfig(values: SettingValues): MailConfig | undefined {
  const { LATCHKEY_SMTP_URL: smtpUrl, LATCHKEY_PUBLIC_URL: publicUrl, LATCHKEY_MAIL_FROM: from } = values;
  return smtpUrl && { smtpUrl, from: from ?? `licenses@${publicUrl?.hostname ?? 'localhost'}` };
}

function toConfig(values: SettingValues): Omit<Config, 'settings'> {
  const dataFolder = resolve(values.LATCHKEY_DATA);
  return {
    host: values.LATCHKEY_HOST,
    port: values.LATCHKEY_PORT,
    dataFolder,
    databaseFile: join(dataFolder, 'latchkey.db'),
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    secretsFile: resolve(values.LATCHKEY_SECRETS_FILE ?? join(dataFolder, 'secrets.json')),
    tls:
      values.LATCHKEY_TLS_CERT && values.LATCHKEY_TLS_KEY
        ? { certFile: values.LATCHKEY_TLS_CERT, keyFile: values.LATCHKEY_TLS_KEY }
        : undefined,
    allowsPlainHttp: !isLoopback(values.LATCHKEY_HOST) && !isProtected(values),
    trustProxy: values.LATCHKEY_TRUST_PROXY,
    publicUrl: values.LATCHKEY_PUBLIC_URL,
    mail: toMailConfig(values),
    confirmEmail: values.LATCHKEY_CONFIRM_EMAIL,
    accessTokenTtlMs: values.LATCHKEY_ACCESS_TOKEN_TTL,
    refreshTokenTtlMs: values.LATCHKEY_REFRESH_TOKEN_TTL,
    leaseTtlMs: values.LATCHKEY_LEASE_TTL,
    keyRotationMs: values.LATCHKEY_KEY_ROTATION,
    rateLimits: {
      login: values.LATCHKEY_RATE_LOGIN,
      signup: values.LATCHKEY_RATE_SIGNUP,
      license: values.LATCHKEY_RATE_LICENSE,
      key_validate: values.LATCHKEY_RATE_KEY_VALIDATE,
      default: values.LATCHKEY_RATE_DEFAULT,
    },
    uniformLoginErrors: values.LATCHKEY_UNIFORM_LOGIN_ERRORS,
    passwordMinLength: values.LATCHKEY_PASSWORD_MIN_LENGTH,
    trial: values.LATCHKEY_TRIAL_PLAN
      ? { plan: values.LATCHKEY_TRIAL_PLAN, days: values.LATCHKEY_TRIAL_DAYS }
      : undefined,
    billing: {
      webhookSecret: values.LATCHKEY_BILLING_SECRET,
      stripeSecret: values.LATCHKEY_STRIPE_WEBHOOK_SECRET,
      lemonSqueezySecret: values.LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET,
      plansByPrice: values.LATCHKEY_BILLING_PRICES ?? new Map(),
    },
    allowsPrivateWebhooks: values.LATCHKEY_WEBHOOK_ALLOW_PRIVATE,
    githubKeysFile: values.LATCHKEY_GITHUB_SCANNING_KEYS && resolve(values.LATCHKEY_GITHUB_SCANNING_KEYS),
    retentionMs: values.LATCHKEY_RETENTION,
    backups: {
      everyMs: values.LATCHKEY_BACKUP_EVERY,
      keep: values.LATCHKEY_BACKUP_KEEP,
      folder: resolve(values.LATCHKEY_BACKUP_FOLDER ?? join(dataFolder, 'backups')),
      passphraseFile: values.LATCHKEY_BACKUP_PASSPHRASE_FILE && resolve(values.LATCHKEY_BACKUP_PASSPHRASE_FILE),
      recipient: values.LATCHKEY_BACKUP_RECIPIENT,
    },
    metricsToken: values.LATCHKEY_METRICS_TOKEN,
    logLevel: values.LATCHKEY_LOG_LEVEL,
    logRequests: values.LATCHKEY_LOG_REQUESTS,
  };
}
