/** The app's profile folder. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { app } from 'electron';
import { createFolder } from './platform/create-folder.ts';

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
  requireOwn(folder);
  app.setPath('userData', folder);
  return folder;
}

/**
 * Throws for the folder of another user, who could have put files there: settings, for example, with a server that gets
 * the password of whoever signs in. Root trusts the owner, as the server does; Windows has no owner to compare.
 */
function requireOwn(folder: string): void {
  const own = process.getuid?.() ?? 0;
  if (own !== 0 && ![own, 0].includes(statSync(folder).uid)) {
    throw new Error(`The folder ${folder} belongs to another user. Set LATCHKEY_PROFILE to a folder of yours.`);
  }
}
