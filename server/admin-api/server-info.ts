/** Describes the server for staff: version, database and settings in force. */
import type { ServerInfo } from '../../shared/api/admin/server.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import { readDatabaseInfo } from '../database/database-info.ts';
import { readVersion } from '../own-package.ts';

type ServerInfoDeps = Pick<CommonDeps, 'config' | 'database' | 'clock'>;

/** `startedAtMs`: when the server started. */
export async function describeServer(
  { config, database, clock }: ServerInfoDeps,
  startedAtMs: number,
): Promise<ServerInfo> {
  const { kind, bytes, migrations } = await readDatabaseInfo(database.read, config.databaseFile);
  return {
    version: readVersion(),
    node_version: process.versions.node,
    started_at: toIso(startedAtMs),
    now: toIso(clock.now()),
    database: {
      kind,
      size_bytes: bytes ?? null,
      migrations: migrations.map(({ name, applied_at_ms }) => ({ name, applied_at: toIso(applied_at_ms) })),
    },
    settings: config.settings,
    can_send_mail: config.mail !== undefined,
  };
}
