/** Reads what the warnings about settings depend on besides the settings. */
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../settings/config.ts';
import type { SettingContext } from './setting-warnings.rules.ts';

export function readSettingContext(
  config: Config,
  { owners, plans, nowMs }: Pick<SettingContext, 'owners' | 'plans' | 'nowMs'>,
): SettingContext {
  const { tls, backups, dataFolder, databaseUrl, publicUrl } = config;
  const certificate = tls && readCertificate(tls.certFile);
  return {
    // The data of PostgreSQL is wherever PostgreSQL stores it.
    isBackupOnDataDisk: databaseUrl === undefined && diskOf(backups.folder) === diskOf(dataFolder),
    certificateEndsAtMs: certificate?.validToDate.getTime(),
    isCertificateForHost: certificate && publicUrl && isForHost(certificate, publicUrl.hostname),
    owners,
    plans,
    dataFolderMode: process.platform === 'win32' ? undefined : statSync(dataFolder, { throwIfNoEntry: false })?.mode,
    nowMs,
  };
}

/** The disk of the folder or, if it does not exist, of the one that it would be created in. */
function diskOf(folder: string): number | undefined {
  if (existsSync(folder)) return statSync(folder).dev;
  return dirname(folder) === folder ? undefined : diskOf(dirname(folder));
}

/** Ignores an unreadable file: it keeps the server from starting, which reports the reason. */
function readCertificate(path: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** Ignores the common name, as browsers do (RFC 9110, section 4.3.4). */
function isForHost(certificate: X509Certificate, hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const isNamed = isIP(address) ? certificate.checkIP(address) : certificate.checkHost(hostname, { subject: 'never' });
  return isNamed !== undefined;
}
