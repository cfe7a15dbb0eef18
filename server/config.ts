/** The configuration that the server works with, built from its settings. */
import { join, resolve } from 'node:path';
import type { SignUpMode } from '../shared/api/about.ts';
import type { RateBucket } from '../shared/api/endpoints.ts';
import type { StaffRole } from '../shared/api/staff-role.ts';
import { isLoopback } from './loopback.ts';
import { type Environment, readSettings } from './read-settings.ts';
import { isProtected } from './setting-contradictions.rules.ts';
import { describeSettings, type SettingInForce, type SettingValues } from './settings-table.ts';

/** Secrets of the billing webhooks; a webhook whose secret is not set does not exist. */
export type BillingConfig = {
  readonly webhookSecret: Buffer | undefined;
  readonly stripeSecret: string | undefined;
  readonly lemonSqueezySecret: string | undefined;
  /** Plan by price. */
  readonly plansByPrice: ReadonlyMap<string, string>;
  /** True if the first event that gives an account access also issues it a license. */
  readonly issuesLicenses: boolean;
};

export type MailConfig = {
  /** `smtp://…` or `smtps://…`, with user and password. */
  readonly smtpUrl: URL;
  /** An address, optionally with a name: `Example <licenses@example.com>`. */
  readonly from: string;
};

/** The identity provider that staff sign in with. */
export type OidcConfig = {
  /** As the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Role by group name. */
  readonly roles: ReadonlyMap<string, StaffRole>;
  /** Name of the claim that contains the groups. */
  readonly claim: string;
};

export type Config = {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Absolute path. */
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
  /** True if other machines may reach the server without encryption. */
  readonly allowsPlainHttp: boolean;
  /** Hop count or addresses of the proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: number | readonly string[] | undefined;
  /** URL by which browsers reach the server. */
  readonly publicUrl: URL | undefined;
  /** How mail is sent; `undefined` if it is not. */
  readonly mail: MailConfig | undefined;
  /** How staff sign in besides passwords and passkeys; `undefined` without an identity provider. */
  readonly oidc: OidcConfig | undefined;
  /** True if new accounts are asked to confirm their email address. */
  readonly confirmEmail: boolean;
  /** How long before an end its account is reminded of it, in any order; empty for no reminders. */
  readonly remindMs: readonly number[];
  readonly accessTokenTtlMs: number;
  readonly refreshTokenTtlMs: number;
  /** Lifetime of leases whose plan does not set one. */
  readonly leaseTtlMs: number;
  /** Maximum age of a key that signs. */
  readonly keyRotationMs: number | undefined;
  /** Requests per minute, by bucket; 0 means no limit. */
  readonly rateLimits: Readonly<Record<RateBucket, number>>;
  readonly uniformLoginErrors: boolean;
  /** True if `/account` is served. */
  readonly accountPage: boolean;
  /** Who may create an account. */
  readonly signUp: SignUpMode;
  readonly passwordMinLength: number;
  readonly trial: { readonly plan: string; readonly days: number } | undefined;
  readonly billing: BillingConfig;
  /** True if events may be sent to addresses that are not public. */
  readonly allowsPrivateWebhooks: boolean;
  /** The file with the keys of GitHub's secret scanning. */
  readonly githubKeysFile: string | undefined;
  /** How long history is kept. */
  readonly retentionMs: number;
  readonly backups: {
    /** Undefined if the server itself takes no backups. */
    readonly everyMs: number | undefined;
    readonly keep: number;
    readonly folder: string;
    readonly passphraseFile: string | undefined;
    /** `age1…` */
    readonly recipient: string | undefined;
  };
  /** Token with which other machines read the metrics. */
  readonly metricsToken: string | undefined;
  readonly logLevel: string;
  /** Which requests get their own line in the log. */
  readonly logRequests: 'notable' | 'all';
  /** Every effective setting, for display, without secrets. */
  readonly settings: readonly SettingInForce[];
};

/**
 * Reads the settings from an environment and from the file that its LATCHKEY_ENV_FILE names; the environment takes
 * precedence. An empty value counts as not set. Throws `StartError` naming each variable that is unknown or wrong.
 */
export function readConfig(environment: Environment): Config {
  const { texts, values } = readSettings(environment);
  return { ...toConfig(values), settings: describeSettings(texts) };
}

function toMailConfig(values: SettingValues): MailConfig | undefined {
  const { LATCHKEY_SMTP_URL: smtpUrl, LATCHKEY_PUBLIC_URL: publicUrl, LATCHKEY_MAIL_FROM: from } = values;
  return smtpUrl && { smtpUrl, from: from ?? `licenses@${publicUrl?.hostname ?? 'localhost'}` };
}

function toOidcConfig(values: SettingValues): OidcConfig | undefined {
  const { LATCHKEY_OIDC_ISSUER: issuer, LATCHKEY_OIDC_CLIENT_ID: clientId, LATCHKEY_OIDC_ROLES: roles } = values;
  const clientSecret = values.LATCHKEY_OIDC_CLIENT_SECRET;
  if (!issuer || !clientId || !clientSecret || !roles) return undefined;
  return { issuer, clientId, clientSecret, roles, claim: values.LATCHKEY_OIDC_CLAIM };
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
    oidc: toOidcConfig(values),
    confirmEmail: values.LATCHKEY_CONFIRM_EMAIL,
    remindMs: values.LATCHKEY_REMIND,
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
    accountPage: values.LATCHKEY_ACCOUNT_PAGE,
    signUp: values.LATCHKEY_SIGN_UP,
    passwordMinLength: values.LATCHKEY_PASSWORD_MIN_LENGTH,
    trial: values.LATCHKEY_TRIAL_PLAN
      ? { plan: values.LATCHKEY_TRIAL_PLAN, days: values.LATCHKEY_TRIAL_DAYS }
      : undefined,
    billing: {
      webhookSecret: values.LATCHKEY_BILLING_SECRET,
      stripeSecret: values.LATCHKEY_STRIPE_WEBHOOK_SECRET,
      lemonSqueezySecret: values.LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET,
      plansByPrice: values.LATCHKEY_BILLING_PRICES ?? new Map(),
      issuesLicenses: values.LATCHKEY_BILLING_ISSUE,
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
