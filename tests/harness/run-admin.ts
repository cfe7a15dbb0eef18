/** Runs the admin commands on a data folder of the test's own: as processes of their own, or here for what only sets up. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { AdminContext } from '../../server/admin/admin-context.ts';
import { runAdminCommand } from '../../server/admin/admin-program.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Environment = Readonly<Record<string, string>>;

/** The variables of a child: none of the service's but those given. */
export function childEnvironment(environment: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(LATCHKEY_|DATABASE_URL$|VITEST|NODE_OPTIONS|npm_|INIT_CWD)/.test(name),
  );
  return { ...Object.fromEntries(inherited), ...environment };
}

/** Runs a script of the server to its end. */
export async function runScript(
  script: string,
  parameters: readonly string[],
  { environment, stdin = '', cwd = repository }: { environment: Environment; stdin?: string | Buffer; cwd?: string },
): Promise<Ended> {
  const child = spawn(process.execPath, [join(repository, script), ...parameters], {
    cwd,
    env: childEnvironment(environment),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that refuses its arguments may be gone before it has read anything.
  child.stdin.on('error', () => undefined).end(stdin);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** Runs a command in this process, from its words to its exit code; without the start of a process it is quick. */
export async function runHere(
  words: readonly string[],
  { environment, stdin = '', cwd = repository }: { environment: Environment; stdin?: string | Buffer; cwd?: string },
): Promise<Ended> {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  input.end(stdin);
  const printed = Promise.all([text(output), text(errors)]);
  const context = new AdminContext({ terminal: { input, output, errors }, environment, folder: cwd });
  const code = await runAdminCommand(words, context);
  output.end();
  errors.end();
  const [stdout, stderr] = await printed;
  return { code, stdout, stderr };
}

export type Json = { readonly [name: string]: never };

export type Admin = {
  /** The data folder. */
  readonly folder: string;
  /** Runs a command as it is, as a process of its own. */
  run(parameters: readonly string[], stdin?: string | Buffer): Promise<Ended>;
  /** Runs a command with `--json`, in this process, and returns its document. Throws unless that is all it printed. */
  json<T = Json>(parameters: readonly string[], stdin?: string): Promise<T>;
  /** Runs a command with `--json` that fails, in this process, and returns what it says on standard error. */
  failure(parameters: readonly string[], stdin?: string): Promise<{ error: string; code: string }>;
  /** Creates an account. */
  createUser(email: string, password?: string): Promise<{ id: string; email: string }>;
};

/** A data folder and the commands on it; it is removed when the test is over. */
export function createAdmin(environment: Environment = {}, folder: string = temporaryFolder()): Admin {
  const all = { LATCHKEY_DATA: folder, ...environment };
  const run: Admin['run'] = (parameters, stdin) =>
    runScript('server/admin/admin.ts', parameters, { environment: all, stdin });
  const json = async <T>(parameters: readonly string[], stdin?: string): Promise<T> => {
    const { code, stdout, stderr } = await runHere([...parameters, '--json'], { environment: all, stdin });
    if (code !== 0 || stderr !== '') throw new Error(`${parameters.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
  return {
    folder,
    run,
    json,
    async failure(parameters, stdin) {
      const { code, stdout, stderr } = await runHere([...parameters, '--json'], { environment: all, stdin });
      if (code !== 1 || stdout !== '')
        throw new Error(`${parameters.join(' ')} ended with ${code}: ${stdout}${stderr}`);
      return JSON.parse(stderr);
    },
    createUser: (email, password = 'a fine passphrase') =>
      json(['user', 'create', '--email', email, '--password-stdin'], password),
  };
}

/** A folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-admin-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
