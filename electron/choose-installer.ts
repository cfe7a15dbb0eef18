/** Lets the person choose an installer file and has it verified. */
import { type BrowserWindow, dialog } from 'electron';
import { type Done, fail } from '../shared/ipc/result.ts';
import type { LicensingClient } from './licensing/licensing-client.ts';
import type { Clock } from './licensing/platform.ts';

/** Makes the command. */
export function createChooseInstaller(
  client: LicensingClient,
  window: BrowserWindow,
  clock: Clock,
): () => Promise<Done> {
  return async () => {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, { properties: ['openFile'] });
    const path = filePaths[0];
    if (canceled || path === undefined) {
      return fail({ code: 'CANCELED', message: 'No file was chosen.', at: new Date(clock.now()).toISOString() });
    }
    return client.verifyInstaller({ path });
  };
}
