/** Reads what the warnings about settings depend on besides the settings. */
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../settings/config.ts';
import type { SettingContext } from './setting-warnings.rules.ts';

export function readSettingContext(
  config: Config,
  { owners, nowMs }: Pick<SettingContext, 'owners' | 'nowMs'>,
): SettingContext {
  const { tls, backups, dataFolder, databaseUrl } = config;
  return {
    // The data of PostgreSQL is wherever PostgreSQL stores it.
    isBackupOnDataDisk: databaseUrl === undefined && diskOf(backups.folder) === diskOf(dataFolder),
    certificateEndsAtMs: tls && readCertificateEnd(tls.certFile),
    owners,
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
function readCertificateEnd(path: string): number | undefined {
  try {
    return new X509Certificate(readFileSync(path)).validToDate.getTime();
  } catch {
    return undefined;
  }
}
