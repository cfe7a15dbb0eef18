/**
 * The command `audit export`: writes the audit log to a file, one JSON document per line, even while the server runs.
 */
import { createWriteStream, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import { readPages } from '../database/list.ts';
import { namingFullDisk } from './full-disk.ts';
import { moveToOutput, newCopyPath, type OutputFile, requireOutput } from './output-file.ts';

type ExportReport = { readonly file: string; readonly entries: number; readonly bytes: number };

/**
 * Exports the entries, oldest first. Reads page by page, so that a log of any length needs little memory. Throws
 * `BackupError` FILE_EXISTS without `force`, and NOT_FOUND if the folder does not exist.
 */
export async function exportAuditLog(
  auditLog: Pick<AuditLogService, 'listOldest'>,
  output: OutputFile,
): Promise<ExportReport> {
  requireOutput(output);
  const { file } = output;
  const copy = newCopyPath(output);
  let entries = 0;
  const lines = async function* () {
    for await (const page of readPages((part) => auditLog.listOldest(part), {})) {
      entries += page.length;
      yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    }
  };
  return namingFullDisk(dirname(file), async () => {
    try {
      await pipeline(lines, createWriteStream(copy, { mode: 0o600, flags: 'wx' }));
      moveToOutput(copy, output);
      return { file, entries, bytes: statSync(file).size };
    } finally {
      rmSync(copy, { force: true });
    }
  });
}
