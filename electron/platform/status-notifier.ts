/**
 * Detects whether the Linux desktop shows tray icons. GNOME has no tray without an extension, and Electron does not
 * report it.
 */
import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const timeoutMs = 2000;

/** Owned by whatever shows StatusNotifierItems, which Electron's tray icons are on Linux. */
const watcher = 'org.kde.StatusNotifierWatcher';

type Command = readonly [program: string, words: readonly string[]];

/** Returns the commands of GLib and of D-Bus itself: most systems have both, all have one. */
function commandsFor(name: string): readonly Command[] {
  const bus = 'org.freedesktop.DBus';
  const [path, method] = ['/org/freedesktop/DBus', `${bus}.NameHasOwner`];
  return [
    ['gdbus', ['call', '--session', '--dest', bus, '--object-path', path, '--method', method, name]],
    ['dbus-send', ['--session', '--print-reply=literal', `--dest=${bus}`, path, method, `string:${name}`]],
  ];
}

/** True if the name has an owner on the session bus; `false` if there is no bus, or none that answers in time. */
export async function isNameOwned(name: string): Promise<boolean> {
  for (const [program, words] of commandsFor(name)) {
    const result = await run(program, [...words], { timeout: timeoutMs }).catch(() => null);
    if (result !== null) return /\btrue\b/.test(result.stdout);
  }
  return false;
}

export type TrayQuestion = {
  /** At login the app may start before the program that shows the icons, so it waits some seconds for it. */
  readonly isStartedAtLogin: boolean;
  readonly platform?: NodeJS.Platform;
  readonly isOwned?: (name: string) => Promise<boolean>;
  readonly wait?: () => Promise<unknown>;
};

const triesAtLogin = 10;
const waitOneSecond = () => setTimeout(1000);

/** True if a tray icon would be visible. Without one, a hidden window could not be opened again. */
export async function showsTrayIcons(question: TrayQuestion): Promise<boolean> {
  const { isStartedAtLogin, platform = process.platform, isOwned = isNameOwned, wait = waitOneSecond } = question;
  if (platform !== 'linux' || (await isOwned(watcher))) return true;
  for (let tries = 1; isStartedAtLogin && tries < triesAtLogin; tries++) {
    await wait();
    if (await isOwned(watcher)) return true;
  }
  return false;
}
