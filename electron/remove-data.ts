/** Removes what the app has stored. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The documents in the secret store of the licensing client. */
const secretDocuments = [
  'device-id',
  'ended-session',
  'lease-account',
  'lease-keys',
  'lease-request',
  'license',
  'license-[0-9a-f]{32}',
  'session',
  'timeline',
];

/** The end of the name of a file that was set aside, see `unreadableName`. */
const setAside = '(?:\\.unreadable-[\\dTZ+-]+)?';

/** The end of the name of a file whose writing electron-store did not finish. */
const unfinished = '(?:\\.tmp-[0-9a-f]+)?';

/**
 * The app's own files, by folder. The user can choose any folder as the profile, so nothing else in it is touched:
 * neither files of other programs nor Chromium's, in which the window stores nothing.
 */
const ownFiles: readonly (readonly [folder: string, file: RegExp])[] = [
  ['.', new RegExp(`^settings\\.json(?:${setAside}|${unfinished})$`)],
  ['secrets', new RegExp(`^(?:key|(?:${secretDocuments.join('|')})\\.json)${setAside}$`)],
  ['logs', /^latchkey\.log(?:\.1)?$/],
  ['updates', /^app-update\.yml$/],
];

/**
 * Call it once nothing writes to the profile any more. `downloads` is the folder of downloaded updates, `null` if this
 * installation downloads none. Returns the paths that could not be removed.
 */
export async function removeProfileData(profile: string, downloads: string | null = null): Promise<string[]> {
  const left: string[] = [];
  if (downloads !== null) await rm(downloads, { recursive: true, force: true }).catch(() => left.push(downloads));
  for (const [name, file] of ownFiles) {
    const folder = join(profile, name);
    const files = (await readdir(folder).catch(() => [])).filter((each) => file.test(each));
    for (const path of files.map((each) => join(folder, each)))
      await rm(path, { force: true }).catch(() => left.push(path));
    // Fails, as it should, for a folder with other files.
    if (name !== '.') await rmdir(folder).catch(() => {});
  }
  return left;
}
