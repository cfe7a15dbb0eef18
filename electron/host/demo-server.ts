/** Starts the server on its embedded database and puts the demo data there. */
import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type Children, lineOf } from './children.ts';

const demoAccount = z.object({ email: z.string(), password: z.string(), license_key: z.string() });

const demoData = demoAccount.extend({ full_account: demoAccount, installer_file: z.string(), version: z.string() });

export type DemoData = z.infer<typeof demoData>;

export type DemoServer = { readonly address: string; readonly demo: DemoData; readonly portWasTaken: boolean };

/** What may be set for the demo's server; its data never go to a database that is set for another one. */
const passedOn = /^(?!LATCHKEY_|DATABASE_URL$|REDIS_URL$)|^LATCHKEY_(RATE_|LOG_LEVEL$|(ACCESS|REFRESH)_TOKEN_TTL$)/;

export type DemoServerOptions = {
  readonly root: string;
  readonly dataFolder: string;
  readonly port: number;
  /** The server has ended, asked or not. */
  readonly onEnd: (logFile: string) => void;
};

/** Starts it, waits until it listens, and seeds; rejects with a sentence on why it could not. */
export async function startDemoServer(children: Children, options: DemoServerOptions): Promise<DemoServer> {
  const { root, dataFolder } = options;
  const portWasTaken = options.port !== 0 && !(await isFree(options.port));
  const environment = serverEnvironment(dataFolder, portWasTaken ? 0 : options.port);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const logFile = join(dataFolder, 'server.log');
  const log = createWriteStream(logFile, { mode: 0o600 });
  const endWithParent = new URL('./end-with-parent.ts', import.meta.url).href;
  const server = children.start(process.execPath, ['--import', endWithParent, 'server/main.ts'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  server.stdout?.pipe(log);
  server.stderr?.pipe(log);
  const listening = await lineOf(server, /listening on \S+/).catch((error: Error) => {
    throw new Error(
      `The server did not start (${error.message}): ${lastLine(logFile)}\nAll that it said is in ${logFile}`,
    );
  });
  server.once('exit', () => options.onEnd(logFile));
  return { address: listening.replace('listening on ', ''), demo: await seed(root, environment), portWasTaken };
}

async function seed(root: string, environment: NodeJS.ProcessEnv): Promise<DemoData> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['server/demo/seed-demo.ts'], { cwd: root, env: environment });
  return demoData.parse(JSON.parse(stdout));
}

function serverEnvironment(dataFolder: string, port: number): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  return {
    ...Object.fromEntries(kept),
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
