/** Warns about settings that work but are insecure or odd, with what to do about each. */
import { dayMs } from '../clock.ts';
import { isLoopback } from '../loopback.ts';
import type { Config } from '../settings/config.ts';

/** What the warnings depend on besides the settings. */
export type SettingContext = {
  /** True if the backup folder is on the same disk as the data. */
  readonly isBackupOnDataDisk: boolean;
  /** When the TLS certificate expires, if there is a readable one. */
  readonly certificateEndsAtMs: number | undefined;
  /** Whether it is valid for the host of LATCHKEY_PUBLIC_URL; `undefined` without a certificate or a host. */
  readonly isCertificateForHost: boolean | undefined;
  /** Number of owners among the staff; undefined if the database has no staff table yet. */
  readonly owners: number | undefined;
  /** Names of the plans; undefined if the database has no table of them yet. */
  readonly plans: readonly string[] | undefined;
  /** Permission bits of the data folder. */
  readonly dataFolderMode: number | undefined;
  readonly nowMs: number;
};

/** Returns one message each, the most serious first. */
export function findSettingWarnings(config: Config, context: SettingContext): string[] {
  return [
    ...warnOfNetwork(config, context),
    ...warnOfProxies(config),
    ...warnOfLimits(config),
    ...warnOfBackups(config, context),
    ...warnOfLifetimes(config),
    ...warnOfLog(config),
    ...warnOfAccess(config, context),
    ...warnOfPlans(config, context),
  ].filter((warning) => typeof warning === 'string');
}

type Warnings = readonly (string | false | undefined)[];

function warnOfNetwork(config: Config, { certificateEndsAtMs, isCertificateForHost, nowMs }: SettingContext): Warnings {
  const { host, tls, trustProxy, publicUrl, databaseUrl, redisUrl } = config;
  const isPublic = !isLoopback(host) && tls === undefined;
  const certificateDays = certificateEndsAtMs === undefined ? Infinity : (certificateEndsAtMs - nowMs) / dayMs;
  return [
    isPublic &&
      trustProxy === undefined &&
      `LATCHKEY_HOST ${host} is reached over unencrypted HTTP, which shows passwords and keys to the network: set LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY, or put a proxy with TLS in front and set LATCHKEY_TRUST_PROXY`,
    isPublic &&
      trustProxy !== undefined &&
      `LATCHKEY_HOST ${host} is reached over unencrypted HTTP also without the proxy: bind it to an address that only the proxy reaches, or set LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY`,
    publicUrl?.protocol === 'http:' &&
      isRemote(publicUrl.href) &&
      'LATCHKEY_PUBLIC_URL begins with http://, so links in mails and to the admin page are unencrypted, and passkeys do not work: use https',
    publicUrl?.protocol === 'https:' &&
      tls === undefined &&
      trustProxy === undefined &&
      'LATCHKEY_PUBLIC_URL begins with https://, but the server neither has a certificate nor trusts a proxy: it takes every request for unencrypted and from the address of the proxy, so all clients share one limit and the audit log has the address of the proxy; set LATCHKEY_TRUST_PROXY',
    certificateDays <= 0 && 'the certificate of LATCHKEY_TLS_CERT has expired: replace it',
    certificateDays > 0 &&
      certificateDays < 14 &&
      `the certificate of LATCHKEY_TLS_CERT expires in ${Math.ceil(certificateDays)} days: renew it`,
    // Behind a proxy the certificate may be for an internal name.
    isCertificateForHost === false &&
      trustProxy === undefined &&
      `the certificate of LATCHKEY_TLS_CERT is not for ${publicUrl?.hostname}, the host of LATCHKEY_PUBLIC_URL, so browsers and apps refuse to connect: get one that names it, or correct LATCHKEY_PUBLIC_URL`,
    databaseUrl !== undefined &&
      isPlainRemote(databaseUrl) &&
      'DATABASE_URL connects to another machine without TLS: add sslmode=verify-full to it, unless the network between them is private',
    redisUrl?.startsWith('redis:') &&
      isRemote(redisUrl) &&
      'REDIS_URL connects to another machine without TLS: use rediss://, unless the network between them is private',
  ];
}

function warnOfProxies({ trustProxy }: Config): Warnings {
  if (trustProxy === undefined) return [];
  if (typeof trustProxy === 'number') {
    return [
      `LATCHKEY_TRUST_PROXY is a number of proxies: a client that reaches the server without passing all ${trustProxy} of them can choose the address that limits and the audit log see; name the addresses of the proxies instead`,
      trustProxy > 3 && `LATCHKEY_TRUST_PROXY is ${trustProxy}, which is many proxies: check the number`,
    ];
  }
  const wide = trustProxy.find((network) => /\/[0-7]$/.test(network));
  return [
    wide !== undefined &&
      `LATCHKEY_TRUST_PROXY trusts ${wide}, so that nearly everyone can choose the address that limits and the audit log see: name the addresses of the proxies`,
  ];
}

const generousLogins = 100;

function warnOfLimits({ rateLimits }: Config): Warnings {
  const off = Object.entries(rateLimits)
    .filter(([, limit]) => limit === 0)
    .map(([bucket]) => `LATCHKEY_RATE_${bucket.toUpperCase()}`);
  return [
    off.length > 0 &&
      `rate limits are switched off by ${off.join(', ')}: set a number, because 0 lets anyone try keys or fill the database at full speed`,
    rateLimits.login > generousLogins &&
      `LATCHKEY_RATE_LOGIN lets a client try ${rateLimits.login} passwords a minute: the default is 5`,
  ];
}

function warnOfBackups(config: Config, { isBackupOnDataDisk }: SettingContext): Warnings {
  const { everyMs, keep, folder, passphraseFile, recipient } = config.backups;
  if (everyMs === undefined) {
    return [
      'no backups are scheduled: set LATCHKEY_BACKUP_EVERY, for example to 24h, and LATCHKEY_BACKUP_FOLDER to a folder on another disk',
    ];
  }
  const isEncrypted = passphraseFile !== undefined || recipient !== undefined;
  const isBeside = (file: string | undefined) => file?.startsWith(`${folder}/`) === true;
  return [
    isBackupOnDataDisk &&
      `backups are written to ${folder}, on the same disk as the data: both are lost with it; set LATCHKEY_BACKUP_FOLDER to another disk, or copy them elsewhere`,
    !isEncrypted &&
      'backups are not encrypted, and contain every secret of the server: set LATCHKEY_BACKUP_PASSPHRASE_FILE or LATCHKEY_BACKUP_RECIPIENT, unless nobody else reads their folder and its copies',
    isBeside(passphraseFile) &&
      'the passphrase file is in the folder of the backups that it encrypts: move LATCHKEY_BACKUP_PASSPHRASE_FILE',
    isEncrypted &&
      isBeside(config.secretsFile) &&
      'the secrets file is in the folder of the backups: move it, and set LATCHKEY_SECRETS_FILE',
    keep === 1 && 'LATCHKEY_BACKUP_KEEP is 1: what goes wrong unnoticed for one interval cannot be undone; keep more',
    everyMs > 7 * dayMs &&
      'LATCHKEY_BACKUP_EVERY is more than 7 days, and so is what a loss of the data costs: shorten it',
  ];
}

function warnOfLifetimes(config: Config): Warnings {
  const { accessTokenTtlMs, refreshTokenTtlMs, leaseTtlMs, retentionMs } = config;
  return [
    accessTokenTtlMs > dayMs &&
      'LATCHKEY_ACCESS_TOKEN_TTL is more than a day: clients refresh by themselves, so 1h costs nobody anything',
    refreshTokenTtlMs > 90 * dayMs &&
      'LATCHKEY_REFRESH_TOKEN_TTL is more than 90 days: so long can somebody use a device that was lost; shorten it',
    refreshTokenTtlMs <= accessTokenTtlMs &&
      'LATCHKEY_REFRESH_TOKEN_TTL is not longer than LATCHKEY_ACCESS_TOKEN_TTL, so people are signed out instead of refreshed: make it longer',
    leaseTtlMs > 90 * dayMs &&
      'LATCHKEY_LEASE_TTL is more than 90 days: so long does a device work that never hears of a revocation; shorten it',
    retentionMs < 30 * dayMs &&
      'LATCHKEY_RETENTION is less than 30 days: the audit log may be gone before anyone looks into it; make it longer',
  ];
}

function warnOfLog({ logLevel, logRequests }: Config): Warnings {
  return [
    logRequests === 'all' &&
      'LATCHKEY_LOG_REQUESTS is all: every request has a line with the address of the client, which takes disk and time; use notable, unless you need it now',
    ['trace', 'debug'].includes(logLevel) &&
      `LATCHKEY_LOG_LEVEL is ${logLevel}, meant for a search for an error: set it back to info`,
    ['error', 'fatal', 'silent'].includes(logLevel) &&
      `LATCHKEY_LOG_LEVEL is ${logLevel}, which hides warnings such as a clock that jumped: set it to info or warn`,
  ];
}

function warnOfAccess(config: Config, { owners, dataFolderMode }: SettingContext): Warnings {
  const openTo = (dataFolderMode ?? 0) & 0o077;
  return [
    owners === 0 &&
      'there is no owner among the staff: open the link that the server prints at its start, or run "admin staff add EMAIL --role owner"',
    config.allowsPrivateWebhooks &&
      'LATCHKEY_WEBHOOK_ALLOW_PRIVATE lets staff make the server call addresses inside of your network: unset it unless a receiver is there',
    config.passwordMinLength < 8 &&
      `LATCHKEY_PASSWORD_MIN_LENGTH is ${config.passwordMinLength}: shorter passwords than 8 characters are guessed soon`,
    openTo !== 0 && `other users can look into ${config.dataFolder}: run "chmod go-rwx" on it`,
  ];
}

function warnOfPlans({ billing }: Config, { plans }: SettingContext): Warnings {
  if (plans === undefined) return [];
  const unknown = [...new Set(billing.plansByPrice.values())].filter((plan) => !plans.includes(plan));
  return unknown.map(
    (plan) =>
      `LATCHKEY_BILLING_PRICES names the plan "${plan}", which does not exist, so payments of its prices are not applied: add it with "admin plan set", or correct the name`,
  );
}

function isRemote(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname !== '' && !isLoopback(hostname);
}

/** The PostgreSQL client uses TLS only if the URL asks for it. A host that is a path is a socket of this machine. */
function isPlainRemote(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') || hostname;
  if (host === '' || /^(?:\/|%2f)/i.test(host) || isLoopback(host)) return false;
  const mode = searchParams.get('sslmode');
  if (mode === null) return !/^(?:true|1)$/.test(searchParams.get('ssl') ?? '');
  return ['disable', 'allow', 'prefer'].includes(mode);
}
