/** Writes the device and heartbeat history as CSV where the person wants it. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { app, type BrowserWindow, dialog } from 'electron';
import type { CommandHandlers } from '../shared/ipc/ipc-types.ts';
import { fail, succeed } from '../shared/ipc/result.ts';
import type { LicensingClient } from './licensing/licensing-client.ts';
import type { Clock } from './licensing/platform.ts';

/** Makes the command; the plan is asked before the person is. */
export function createExportHistory(
  client: LicensingClient,
  window: BrowserWindow,
  clock: Clock,
): CommandHandlers['exportHistory'] {
  return async () => {
    const csv = await client.historyCsv();
    if (!csv.ok) return csv;
    const at = new Date(clock.now()).toISOString();
    const name = `latchkey-history-${at.slice(0, 10)}.csv`;
    const { canceled, filePath } = await dialog.showSaveDialog(window, {
      defaultPath: join(app.getPath('downloads'), name),
      filters: [{ name: 'CSV', extensions: ['csv'] }],
    });
    if (canceled || !filePath) return fail({ code: 'CANCELED', message: 'Nothing was saved.', at });
    try {
      await writeFile(filePath, csv.value);
    } catch {
      return fail({ code: 'FILE_NOT_WRITTEN', message: `${basename(filePath)} could not be written.`, at });
    }
    client.noteHistoryExported(basename(filePath));
    return succeed({ path: filePath });
  };
}
