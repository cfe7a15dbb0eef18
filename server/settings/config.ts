/** The configuration that the server works with, built from its settings. */
import { join, resolve } from 'node:path';
import type { ServerInfo } from '../../shared/api/admin/server.ts';
import type { RateBucket } from '../../shared/api/endpoints.ts';
import { isLoopback } from '../loopback.ts';
import { type Environment, readSettings } from './read-settings.ts';
import { isProtected } from './setting-contradictions.rules.ts';
import { describeSettings, type SettingValues } from './settings-table.ts';

/** The settings in the form that the server uses. Comments on the fields only add to what the settings table says. */
export type Config = Readonly<ReturnType<typeof toConfig>> & {
  /** All effective settings for display, with secrets masked. */
  readonly settings: ServerInfo['settings'];
};

export type BillingConfig = Config['billing'];
export type MailConfig = NonNullable<Config['mail']>;
export type OidcConfig = NonNullable<Config['oidc']>;

/**
 * Reads the settings from an environment and from the file that its LATCHKEY_ENV_FILE names; the environment takes
 * precedence. An empty value counts as not set. Throws `StartError` naming each variable that is unknown or wrong.
 */
export function readConfig(environment: Environment): Config {
  const { texts, values } = readSettings(environment);
  return { ...toConfig(values), settings: describeSettings(texts) };
}

function toMailConfig(values: SettingValues) {
  const { LATCHKEY_SMTP_URL: smtpUrl, LATCHKEY_PUBLIC_URL: publicUrl, LATCHKEY_MAIL_FROM: from } = values;
  return smtpUrl && { smtpUrl, from: from ?? `licenses@${publicUrl?.hostname ?? 'localhost'}` };
}

function toOidcConfig(values: SettingValues) {
  const { LATCHKEY_OIDC_ISSUER: issuer, LATCHKEY_OIDC_CLIENT_ID: clientId, LATCHKEY_OIDC_ROLES: roles } = values;
  const clientSecret = values.LATCHKEY_OIDC_CLIENT_SECRET;
  if (!issuer || !clientId || !clientSecret || !roles) return undefined;
  return { issuer, clientId, clientSecret, roles, claim: values.LATCHKEY_OIDC_CLAIM };
}

function toConfig(values: SettingValues) {
  const dataFolder = resolve(values.LATCHKEY_DATA);
  return {
    host: values.LATCHKEY_HOST,
    port: values.LATCHKEY_PORT,
    dataFolder,
    /** Used if there is no `databaseUrl`. */
    databaseFile: join(dataFolder, 'latchkey.db'),
    /** `postgres://…`, with user and password. */
    databaseUrl: values.DATABASE_URL,
    /** `redis://…` or `rediss://…`, with user and password. */
    redisUrl: values.REDIS_URL,
    secretsFile: resolve(values.LATCHKEY_SECRETS_FILE ?? join(dataFolder, 'secrets.json')),
    tls:
      values.LATCHKEY_TLS_CERT && values.LATCHKEY_TLS_KEY
        ? { certFile: values.LATCHKEY_TLS_CERT, keyFile: values.LATCHKEY_TLS_KEY }
        : undefined,
    /** True if other machines may reach the server without encryption. */
    allowsPlainHttp: !isLoopback(values.LATCHKEY_HOST) && !isProtected(values),
    trustProxy: values.LATCHKEY_TRUST_PROXY,
    publicUrl: values.LATCHKEY_PUBLIC_URL,
    /** `undefined` if no mail server is configured. */
    mail: toMailConfig(values),
    /** `undefined` if no identity provider is configured. */
    oidc: toOidcConfig(values),
    confirmEmail: values.LATCHKEY_CONFIRM_EMAIL,
    /** Times before an end at which reminders are sent, in no particular order. */
    remindMs: values.LATCHKEY_REMIND,
    accessTokenTtlMs: values.LATCHKEY_ACCESS_TOKEN_TTL,
    refreshTokenTtlMs: values.LATCHKEY_REFRESH_TOKEN_TTL,
    leaseTtlMs: values.LATCHKEY_LEASE_TTL,
    keyRotationMs: values.LATCHKEY_KEY_ROTATION,
    /** Requests per minute; 0 means no limit. */
    rateLimits: {
      login: values.LATCHKEY_RATE_LOGIN,
      signup: values.LATCHKEY_RATE_SIGNUP,
      license: values.LATCHKEY_RATE_LICENSE,
      key_validate: values.LATCHKEY_RATE_KEY_VALIDATE,
      default: values.LATCHKEY_RATE_DEFAULT,
    } satisfies Record<RateBucket, number>,
    uniformLoginErrors: values.LATCHKEY_UNIFORM_LOGIN_ERRORS,
    accountPage: values.LATCHKEY_ACCOUNT_PAGE,
    signUp: values.LATCHKEY_SIGN_UP,
    passwordMinLength: values.LATCHKEY_PASSWORD_MIN_LENGTH,
    trial: values.LATCHKEY_TRIAL_PLAN
      ? { plan: values.LATCHKEY_TRIAL_PLAN, days: values.LATCHKEY_TRIAL_DAYS }
      : undefined,
    /** A provider's webhook is available only if its secret is set. */
    billing: {
      webhookSecret: values.LATCHKEY_BILLING_SECRET,
      stripeSecret: values.LATCHKEY_STRIPE_WEBHOOK_SECRET,
      lemonSqueezySecret: values.LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET,
      /** Plans by price. */
      plansByPrice: values.LATCHKEY_BILLING_PRICES ?? new Map<string, string>(),
      issuesLicenses: values.LATCHKEY_BILLING_ISSUE,
    },
    allowsPrivateWebhooks: values.LATCHKEY_WEBHOOK_ALLOW_PRIVATE,
    githubKeysFile: values.LATCHKEY_GITHUB_SCANNING_KEYS && resolve(values.LATCHKEY_GITHUB_SCANNING_KEYS),
    retentionMs: values.LATCHKEY_RETENTION,
    backups: {
      /** `undefined` if the server takes no scheduled backups. */
      everyMs: values.LATCHKEY_BACKUP_EVERY,
      keep: values.LATCHKEY_BACKUP_KEEP,
      folder: resolve(values.LATCHKEY_BACKUP_FOLDER ?? join(dataFolder, 'backups')),
      passphraseFile: values.LATCHKEY_BACKUP_PASSPHRASE_FILE && resolve(values.LATCHKEY_BACKUP_PASSPHRASE_FILE),
      /** An age recipient, such as `age1…`. */
      recipient: values.LATCHKEY_BACKUP_RECIPIENT,
    },
    metricsToken: values.LATCHKEY_METRICS_TOKEN,
    logLevel: values.LATCHKEY_LOG_LEVEL,
    logRequests: values.LATCHKEY_LOG_REQUESTS,
  };
}
