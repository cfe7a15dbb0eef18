/** How the command line of this installation is called in a terminal. */
import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';

export type InstallationPlace = {
  readonly system: NodeJS.Platform;
  readonly isPackaged: boolean;
  /** Path of the AppImage, if the app runs from one. */
  readonly appImage: string | undefined;
  readonly execPath: string;
  /** Folder with the app's archive; only a packaged app uses it. */
  readonly resourcesPath: string;
  /** The folder that `LATCHKEY_PROFILE` names. A terminal may not have that variable. */
  readonly namedProfile: string | undefined;
  readonly exists?: (path: string) => boolean;
};

/** The Debian package puts it on the search path of every shell. */
const debianCommand = '/usr/bin/latchkey';

/** Returns what a user types before a command, quoted for the system's shell. */
export function findShellCommand(place: InstallationPlace): string {
  const { system, namedProfile } = place;
  const program = findProgram(place);
  if (!namedProfile) return program;
  return `${program} --profile ${system === 'win32' ? quoteWindowsArgument(namedProfile) : quote(namedProfile)}`;
}

function findProgram(place: InstallationPlace): string {
  const { system, isPackaged, appImage, execPath, resourcesPath, exists = existsSync } = place;
  if (!isPackaged) return 'npm run --silent latchkey --';
  if (system === 'win32') return quoteForWindows(win32.join(win32.dirname(execPath), 'latchkey.cmd'));
  if (system === 'darwin') return quote(posix.join(resourcesPath, 'bin', 'latchkey'));
  if (appImage !== undefined) return `${quote(appImage)} --cli`;
  return exists(debianCommand) ? 'latchkey' : `${quote(execPath)} --cli`;
}

function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** PowerShell calls a quoted path only after `&`, would run `$(…)` in double quotes, and takes ’ for a quote. */
function quoteForWindows(path: string): string {
  const quoted = quoteWindowsArgument(path);
  return quoted === path ? path : `& ${quoted}`;
}

function quoteWindowsArgument(path: string): string {
  return /^[\w:.\\-]+$/.test(path) ? path : `'${path.replace(/['‘’‚‛]/g, '$&$&')}'`;
}
