/**
 * `npm start`: builds the desktop app if needed, starts a server with demo data, opens the desktop app, and ends all of
 * them.
 */
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FolderLock, lockFolder } from '../folder-lock.ts';
import { buildIfChanged } from './build-if-changed.ts';
import { ChildProcesses } from './child-processes.ts';
import { type DemoServer, startDemoServer } from './demo-server.ts';
import { openDesktop } from './open-desktop.ts';
import { startMessages, usage } from './start-messages.ts';
import { parseStartOptions, profileNameOf, type StartOptions } from './start-options.ts';

const root = resolve(import.meta.dirname, '../../..');
/** How long a build may continue after the start has failed or was ended; it takes a few seconds. */
const buildTimeoutMs = 30_000;
const print = (line: string) => console.log(line);

class StartCommand {
  readonly #options: StartOptions;
  readonly #dataFolder: string;
  readonly #profile: Profile;
  readonly #children = new ChildProcesses();
  #build: Promise<void> = Promise.resolve();
  #lock: FolderLock | null = null;
  #ending = false;
  #serverStopped = false;

  constructor(options: StartOptions) {
    this.#options = options;
    this.#dataFolder = resolve(root, options.data);
    this.#profile = chooseProfile(options.server, this.#dataFolder);
  }

  async run(): Promise<void> {
    process.on('SIGINT', () => void this.#end('SIGINT', 0));
    process.on('SIGTERM', () => void this.#end('other', 0));
    onParentExit(() => void this.#end('other', 0));
    try {
      this.#lock = lockProfile(this.#profile);
      await this.#runUntilClosed();
      await this.#end('other', 0);
    } catch (error) {
      if (!this.#ending) console.error(error instanceof Error ? error.message : error);
      await this.#end('other', 1);
    }
  }

  /** Resolves when the user has closed the desktop app. */
  async #runUntilClosed(): Promise<void> {
    const { port, headless } = this.#options;
    this.#build = buildIfChanged(root, print);
    const [server] = await Promise.all([this.#startServer(), this.#build]);
    if (server?.portWasTaken) print(startMessages.portTaken(port));
    const serverAddress = server?.address ?? this.#options.server ?? '';
    const desktop = await openDesktop({
      children: this.#children,
      root,
      profile: this.#profile.folder,
      serverAddress,
      headless: headless || !hasDisplay(),
      print,
    });
    print(server === null ? startMessages.server(serverAddress) : startMessages.demo(server.address, server.demo));
    if (desktop.address !== null) print(startMessages.openInBrowser(desktop.address));
    print(startMessages.pressToStop);
    await desktop.ended;
  }

  async #startServer(): Promise<DemoServer | null> {
    if (this.#options.server !== null) return null;
    return startDemoServer({
      children: this.#children,
      root,
      dataFolder: this.#dataFolder,
      port: this.#options.port,
      onEnd: (logFile) => {
        if (this.#ending) return;
        this.#serverStopped = true;
        print(startMessages.serverStopped(shortPath(logFile)));
      },
    });
  }

  async #end(after: 'SIGINT' | 'other', exitCode: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    await this.#children.end(after);
    // Interrupting the build would break other processes that run the previous one.
    await Promise.race([this.#build.catch(() => undefined), delay(buildTimeoutMs)]);
    if (this.#lock !== null)
      print(startMessages.stopped(this.#options.server === null ? shortPath(this.#dataFolder) : null));
    process.exit(this.#serverStopped ? 1 : exitCode);
  }
}

/** The desktop app's profile, and how the user chooses another one. */
type Profile = { readonly folder: string; readonly remedy: string };

/**
 * In the folder of the demo data, or a separate folder for every other server, so that the session of one is not lost
 * at another.
 */
function chooseProfile(server: string | null, dataFolder: string): Profile {
  const named = process.env.LATCHKEY_PROFILE;
  if (named) return { folder: resolve(named), remedy: startMessages.chooseProfile };
  if (server === null) return { folder: join(dataFolder, 'desktop'), remedy: startMessages.chooseData };
  return { folder: join(root, 'data', profileNameOf(server)), remedy: startMessages.chooseProfile };
}

/** Throws with a message for the user if another `npm start` uses the folder, or if it cannot be used. */
function lockProfile({ folder, remedy }: Profile): FolderLock {
  const lock = tryToLock(folder, remedy);
  if (lock === null) throw new Error(startMessages.alreadyRunning(shortPath(folder), remedy));
  return lock;
}

function tryToLock(folder: string, remedy: string): FolderLock | null {
  try {
    return lockFolder(folder, { name: 'npm-start', timeoutMs: 0 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(startMessages.folderUnusable(shortPath(folder), reason, remedy));
  }
}

/** Calls back when npm's shell has ended: on SIGTERM it ends without forwarding the signal to this process. */
function onParentExit(callback: () => void): void {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && callback(), 500).unref();
}

function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

function shortPath(path: string): string {
  const fromRoot = relative(root, path);
  return fromRoot.startsWith('..') ? path : `./${fromRoot}`;
}

const request = parseStartOptions(process.argv.slice(2));
if (request.kind === 'help') print(usage);
else if (request.kind === 'invalid') {
  console.error(`${request.reason}\n\n${usage}`);
  process.exitCode = 2;
} else await new StartCommand(request.options).run();
