/** The settings of the server (the table in the README), read once from the environment and checked. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import type { RateBucket } from '../shared/api/endpoints.ts';
import { StartError } from './errors.ts';
import * as fields from './setting-parsers.ts';

const settings = z.object({
  LATCHKEY_ENV_FILE: fields.text.optional(),
  LATCHKEY_HOST: fields.text.default('127.0.0.1'),
  LATCHKEY_PORT: fields.wholeNumber(0, 65_535).default(8470),
  LATCHKEY_DATA: fields.text.default('./data'),
  LATCHKEY_SECRETS_FILE: fields.text.optional(),
  LATCHKEY_TLS_CERT: fields.text.optional(),
  LATCHKEY_TLS_KEY: fields.text.optional(),
  LATCHKEY_ALLOW_HTTP: fields.onOff.default(false),
  LATCHKEY_TRUST_PROXY: fields.trustProxy.optional(),
  LATCHKEY_ACCESS_TOKEN_TTL: fields.duration.default(60 * 60 * 1000),
  LATCHKEY_REFRESH_TOKEN_TTL: fields.duration.default(7 * 24 * 60 * 60 * 1000),
  LATCHKEY_RATE_LOGIN: fields.wholeNumber(0, 1_000_000).default(5),
  LATCHKEY_RATE_SIGNUP: fields.wholeNumber(0, 1_000_000).default(3),
  LATCHKEY_RATE_LICENSE: fields.wholeNumber(0, 1_000_000).default(30),
  LATCHKEY_RATE_KEY_VALIDATE: fields.wholeNumber(0, 1_000_000).default(120),
  LATCHKEY_RATE_DEFAULT: fields.wholeNumber(0, 1_000_000).default(60),
  LATCHKEY_UNIFORM_LOGIN_ERRORS: fields.onOff.default(false),
  LATCHKEY_PASSWORD_MIN_LENGTH: fields.wholeNumber(1, 128).default(8),
  LATCHKEY_TRIAL_PLAN: fields.text.optional(),
  LATCHKEY_TRIAL_DAYS: fields.wholeNumber(1, 3650).optional(),
  LATCHKEY_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  DATABASE_URL: fields.postgresUrl.optional(),
  REDIS_URL: fields.redisUrl.optional(),
});

export type Environment = Readonly<Record<string, string | undefined>>;

export type Config = {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Absolute. */
  readonly dataFolder: string;
  /** Where there is no `databaseUrl`. */
  readonly databaseFile: string;
  /** `postgres://…`, with user and password. */
  readonly databaseUrl: string | undefined;
  /** `redis://…` or `rediss://…`, with user and password: where requests are counted. */
  readonly redisUrl: string | undefined;
  readonly secretsFile: string;
  /** Paths of the certificate chain and its key, both PEM. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Hop count or addresses of the proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: number | readonly string[] | undefined;
  readonly accessTokenTtlMs: number;
  readonly refreshTokenTtlMs: number;
  /** Requests a minute; 0 is no limit. */
  readonly rateLimits: Readonly<Record<RateBucket, number>>;
  readonly uniformLoginErrors: boolean;
  readonly passwordMinLength: number;
  readonly trial: { readonly plan: string; readonly days: number } | undefined;
  readonly logLevel: string;
};

/**
 * The settings from an environment, and from the file that its LATCHKEY_ENV_FILE names; the environment wins.
 * An empty value counts as not set. Throws `StartError` that names the variable which is unknown or wrong.
 */
export function readConfig(environment: Environment): Config {
  const file = environment.LATCHKEY_ENV_FILE;
  const merged = { ...(file ? readEnvFile(file) : {}), ...withoutEmpty(environment) };
  refuseUnknown(merged);
  const parsed = settings.safeParse(merged);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartError(`${String(issue?.path[0])} is wrong: ${issue?.message}`);
  }
  refuseContradictions(parsed.data);
  return arrange(parsed.data);
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

function refuseUnknown(environment: Environment): void {
  const unknown = Object.keys(environment).find((name) => name.startsWith('LATCHKEY_') && !(name in settings.shape));
  if (unknown) throw new StartError(`${unknown} is not a setting: check its spelling, or unset it`);
}

type Settings = z.output<typeof settings>;

function refuseContradictions(values: Settings): void {
  if (!values.LATCHKEY_TLS_CERT !== !values.LATCHKEY_TLS_KEY) {
    throw new StartError('LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY belong together: set both, or none');
  }
  if (values.LATCHKEY_TRIAL_DAYS !== undefined && !values.LATCHKEY_TRIAL_PLAN) {
    throw new StartError('LATCHKEY_TRIAL_DAYS is set without LATCHKEY_TRIAL_PLAN: name the plan of the trial as well');
  }
  const protectedSomehow = values.LATCHKEY_TLS_CERT || values.LATCHKEY_TRUST_PROXY || values.LATCHKEY_ALLOW_HTTP;
  if (!isLoopback(values.LATCHKEY_HOST) && !protectedSomehow) {
    throw new StartError(
      `LATCHKEY_HOST is ${values.LATCHKEY_HOST}, which others can reach without encryption: set LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY, or LATCHKEY_TRUST_PROXY for a proxy in front, or LATCHKEY_ALLOW_HTTP=1`,
    );
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function arrange(values: Settings): Config {
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
    trustProxy: values.LATCHKEY_TRUST_PROXY,
    accessTokenTtlMs: values.LATCHKEY_ACCESS_TOKEN_TTL,
    refreshTokenTtlMs: values.LATCHKEY_REFRESH_TOKEN_TTL,
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
      ? { plan: values.LATCHKEY_TRIAL_PLAN, days: values.LATCHKEY_TRIAL_DAYS ?? 14 }
      : undefined,
    logLevel: values.LATCHKEY_LOG_LEVEL,
  };
}
