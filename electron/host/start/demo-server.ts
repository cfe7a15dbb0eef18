/** Starts the server with an embedded database and demo data. */
import { execFile } from 'node:child_process';
import { createWriteStream, openSync, readFileSync, type WriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { createFolder } from '../../platform/create-folder.ts';
import { type ChildProcesses, waitForOutput } from './child-processes.ts';
import { type DemoData, startMessages } from './start-messages.ts';

const demoAccount = z.object({ email: z.string(), password: z.string(), license_key: z.string() });

const demoData: z.ZodType<DemoData> = demoAccount.extend({
  full_account: demoAccount,
  installer_file: z.string(),
  version: z.string(),
});

export type DemoServer = { readonly address: string; readonly demo: DemoData; readonly portWasTaken: boolean };

/**
 * The environment variables that the demo server inherits; excludes the settings of another server, such as its
 * database.
 */
const inherited = /^(?!LATCHKEY_|DATABASE_URL$|REDIS_URL$)|^LATCHKEY_(RATE_|LOG_LEVEL$|(ACCESS|REFRESH)_TOKEN_TTL$)/;

type DemoServerDeps = {
  readonly children: ChildProcesses;
  readonly root: string;
  readonly dataFolder: string;
  readonly port: number;
  /** Called when the server has stopped, for any reason. */
  readonly onEnd: (logFile: string) => void;
};

/** Starts the server, waits until it listens, and adds the demo data; rejects with a message for the user. */
export async function startDemoServer(options: DemoServerDeps): Promise<DemoServer> {
  const { children, root, dataFolder } = options;
  const portWasTaken = options.port !== 0 && !(await isFree(options.port));
  const environment = serverEnvironment(dataFolder, portWasTaken ? 0 : options.port);
  const logFile = join(dataFolder, 'server.log');
  const log = openLog(dataFolder, logFile);
  const server = children.startNode(['server/main.ts'], { cwd: root, env: environment, stderr: 'pipe' });
  server.stdout?.pipe(log);
  server.stderr?.pipe(log);
  const listening = await waitForOutput(server, /listening on \S+/).catch((error: Error) => {
    throw new Error(startMessages.serverNotStarted(lastLine(logFile) || error.message, logFile));
  });
  server.once('exit', () => options.onEnd(logFile));
  return { address: listening.replace('listening on ', ''), demo: await seed(root, environment), portWasTaken };
}

/**
 * Throws with a message for the user if the folder cannot be used. Discards later lines that cannot be written, e.g.
 * because the disk is full.
 */
function openLog(folder: string, path: string): WriteStream {
  try {
    createFolder(folder);
    return createWriteStream('', { fd: openSync(path, 'w', 0o600) }).on('error', () => {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(startMessages.folderUnusable(folder, reason, startMessages.chooseData));
  }
}

async function seed(root: string, environment: NodeJS.ProcessEnv): Promise<DemoData> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['server/demo/seed-demo.ts'], { cwd: root, env: environment });
  return demoData.parse(JSON.parse(stdout));
}

function serverEnvironment(dataFolder: string, port: number): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => inherited.test(name));
  return {
    ...Object.fromEntries(variables),
    LATCHKEY_HOST: '127.0.0.1',
    LATCHKEY_PORT: `${port}`,
    LATCHKEY_DATA: dataFolder,
  };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function lastLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } catch {
    return '';
  }
}
