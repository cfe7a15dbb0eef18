/** `npm start`: builds what is needed, starts the server with demo data, opens the desktop, and ends all of it. */
import { join, relative, resolve } from 'node:path';
import { buildIfChanged } from './build-if-changed.ts';
import { createChildren } from './children.ts';
import { startDemoServer } from './demo-server.ts';
import { openDesktop } from './open-desktop.ts';
import { readStartOptions, type StartOptions, startUsage } from './start-options.ts';
import { addressText, demoText } from './start-text.ts';

const root = resolve(import.meta.dirname, '../..');
const children = createChildren();
const say = (line: string) => console.log(line);

const request = readStartOptions(process.argv.slice(2));
if (request.kind === 'help') say(startUsage);
else if (request.kind === 'wrong') {
  console.error(`${request.why}\n\n${startUsage}`);
  process.exitCode = 2;
} else await start(request.options);

async function start(options: StartOptions): Promise<void> {
  const dataFolder = resolve(root, options.data);
  const farewell = options.server === null ? `\nEnded. The demo data stays in ${shown(dataFolder)}` : '\nEnded.';
  let ending = false;
  const end = async (how: 'told-already' | 'tell', exitCode: number) => {
    if (ending) return;
    ending = true;
    await children.end(how);
    say(farewell);
    process.exit(exitCode);
  };
  process.on('SIGINT', () => void end('told-already', 0));
  process.on('SIGTERM', () => void end('tell', 0));
  onOrphaned(() => void end('tell', 0));
  try {
    await run(options, dataFolder, (logFile) => {
      if (!ending) say(`The server has ended. Why stands in ${shown(logFile)}; Ctrl-C, then npm start again.`);
    });
    await end('tell', 0);
  } catch (error) {
    if (!ending) console.error(error instanceof Error ? error.message : error);
    await end('tell', 1);
  }
}

/** The shell that npm puts in between ends on a SIGTERM and hands none on: its end is the order to stop. */
function onOrphaned(end: () => void): void {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), 500).unref();
}

/** Fulfilled when the desktop was closed. */
async function run(options: StartOptions, dataFolder: string, onEnd: (logFile: string) => void): Promise<void> {
  const starting =
    options.server === null ? startDemoServer(children, { root, dataFolder, port: options.port, onEnd }) : null;
  const [server] = await Promise.all([starting, buildIfChanged(root, say)]);
  if (server?.portWasTaken) say(`Port ${options.port} is taken, so the server has another one.`);
  const serverAddress = server?.address ?? options.server ?? '';
  const desktop = await openDesktop(children, {
    root,
    profile: profileFolder(options, dataFolder),
    serverAddress,
    headless: options.headless || !hasDisplay(),
    say,
  });
  say(server === null ? `\n  Server   ${serverAddress}\n` : demoText(server.address, server.demo));
  if (desktop.address !== null) say(addressText(desktop.address));
  say('Ctrl-C ends everything.');
  await desktop.ended;
}

/** The demo's desktop is part of the demo; each other server has a profile of its own, so that sessions do not mix. */
function profileFolder({ server }: StartOptions, dataFolder: string): string {
  if (process.env.LATCHKEY_PROFILE) return resolve(process.env.LATCHKEY_PROFILE);
  if (server === null) return join(dataFolder, 'desktop');
  return join(root, 'data', `desktop-${new URL(server).host.replace(/[^\w.-]/g, '-')}`);
}

function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

function shown(folder: string): string {
  const path = relative(root, folder);
  return path.startsWith('..') ? folder : `./${path}`;
}
