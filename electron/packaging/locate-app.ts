/** Locates the program and the archive of a packed app, on each of the three systems. */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

export type PackedApp = {
  /** The executable; on macOS the folder `NAME.app`. */
  readonly program: string;
  readonly archive: string;
};

/** `folder` contains the program (Windows, Linux) or `NAME.app` (macOS). Throws if neither is there. */
export function locateApp(folder: string): PackedApp {
  const [bundle] = globSync('*.app', { cwd: folder });
  if (bundle !== undefined) {
    const program = join(folder, bundle);
    return { program, archive: join(program, 'Contents/Resources/app.asar') };
  }
  const program = ['Latchkey.exe', 'latchkey-desktop'].map((name) => join(folder, name)).find(existsSync);
  if (program === undefined) throw new Error(`${folder} holds no packed app.`);
  return { program, archive: join(folder, 'resources/app.asar') };
}
