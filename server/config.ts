/** The configuration that the server works with, made of its settings. */
import { join, resolve } from 'node:path';
import type { SignUpMode } from '../shared/api/about.ts';
import type { RateBucket } from '../shared/api/endpoints.ts';
import type { StaffRole } from '../shared/api/staff-role.ts';
import { isLoopback } from './loopback.ts';
import { type Environment, readSettings } from './read-settings.ts';
import { isProtected } from './setting-contradictions.rules.ts';
import { describeSettings, type SettingInForce, type SettingValues } from './settings-table.ts';

/** The secrets of the billing webhooks; one that is not set does not exist. */
export type BillingConfig = {
  readonly webhookSecret: Buffer | undefined;
  readonly stripeSecret: string | undefined;
  readonly lemonSqueezySecret: string | undefined;
  /** The plan of each price. */
  readonly plansByPrice: ReadonlyMap<string, string>;
  /** Whether the first event that gives an account access issues it a license. */
  readonly issuesLicenses: boolean;
};

export type MailConfig = {
  /** `smtp://…` or `smtps://…`, with user and password. */
  readonly smtpUrl: URL;
  /** An address, maybe with a name: `Example <licenses@example.com>`. */
  readonly from: string;
};

/** The identity provider with which staff sign in. */
export type OidcConfig = {
  /** As the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By the name of the group. */
  readonly roles: ReadonlyMap<string, StaffRole>;
  /** The claim with the groups. */
  readonly claim: string;
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
  /** How staff sign in besides passwords and passkeys; `undefined` without an identity provider. */
  readonly oidc: OidcConfig | undefined;
  /** Whether new accounts are asked to confirm their email address. */
  readonly confirmEmail: boolean;
  /** How long before an end its account is reminded of it, in no order; empty for never. */
  readonly remindMs: readonly number[];
  readonly accessTokenTtlMs: number;
  readonly refreshTokenTtlMs: number;
  /** How long leases last whose plan does not say. */
  readonly leaseTtlMs: number;
  /** How old a key that signs may become. */
  readonly keyRotationMs: number | undefined;
  /** Requests per minute; 0 is no limit. */
  readonly rateLimits: Readonly<Record<RateBucket, number>>;
  readonly uniformLoginErrors: boolean;
  /** Whether `/account` is served. */
  readonly accountPage: boolean;
  /** Who may create an account. */
  readonly signUp: SignUpMode;
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
