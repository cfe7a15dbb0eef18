/** The app's profile folder. */
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { app } from 'electron';
import { belongsToOther, createFolder } from './platform/create-folder.ts';

/**
 * Chooses the folder, creates it if needed, and returns its path. If it cannot be used, throws an error that says what
 * to do.
 */
export function openProfile(given?: string): string {
  const folder = resolve(given || process.env.LATCHKEY_PROFILE || app.getPath('userData'));
  try {
    createFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The folder ${folder} cannot be used (${reason}). Make it writable, or set LATCHKEY_PROFILE to another folder.`,
    );
  }
  if (belongsToOther(folder)) {
    throw new Error(`The folder ${folder} belongs to another user. Set LATCHKEY_PROFILE to a folder of yours.`);
  }
  app.setPath('userData', folder);
  return folder;
}
