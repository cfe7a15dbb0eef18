/**
 * Runs admin commands, either as separate processes or, faster, in this process if the
 * process itself is not under test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AdminContext } from '../../server/admin/admin-context.ts';
import { runAdminCommand } from '../../server/admin/admin-program.ts';
import { childEnvironment, repository, type Settings, serverProgram } from './environment.ts';

export type CommandResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type CommandInput = { readonly settings: Settings; readonly stdin?: string | Buffer; readonly cwd?: string };

/** Runs a server script as a process, until it ends. */
export async function runScript(
  script: string,
  parameters: readonly string[],
  { settings, stdin = '', cwd = repository }: CommandInput,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [`${repository}${script}`, ...parameters], {
    cwd,
    env: childEnvironment(settings),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that rejects its arguments may end before reading anything.
  child.stdin.on('error', () => undefined).end(stdin);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** Runs an admin command in this process, from its arguments to its exit code. */
export async function runCommandHere(
  words: readonly string[],
  { settings, stdin = '', cwd = repository }: CommandInput,
): Promise<CommandResult> {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  input.end(stdin);
  const printed = Promise.all([text(output), text(errors)]);
  const context = new AdminContext({ terminal: { input, output, errors }, environment: settings, folder: cwd });
  const code = await runAdminCommand(words, context);
  output.end();
  errors.end();
  const [stdout, stderr] = await printed;
  return { code, stdout, stderr };
}

/** Admin commands on one data folder. */
export class Admin {
  readonly folder: string;
  readonly settings: Settings;

  constructor(folder: string, settings: Settings = {}) {
    this.folder = folder;
    this.settings = { LATCHKEY_DATA: folder, ...settings };
  }

  /** Runs a command as a separate process. */
  run(words: readonly string[], stdin?: string | Buffer): Promise<CommandResult> {
    return runScript(serverProgram('admin'), words, { settings: this.settings, stdin });
  }

  /** Runs a command as a separate process that is killed with SIGKILL right before it renames a file to `path`. */
  async killAtRename(words: readonly string[], path: string): Promise<void> {
    const preload = new URL('kill-at-rename.ts', import.meta.url).href;
    const settings = { ...this.settings, KILL_AT_RENAME_TO: path, NODE_OPTIONS: `--import=${preload}` };
    const { code, stderr } = await runScript(serverProgram('admin'), words, { settings });
    if (code !== null) throw new Error(`${words.join(' ')} was not killed, but ended with ${code}: ${stderr}`);
  }

  /** Runs a command in this process; it may fail. */
  runHere(words: readonly string[], stdin?: string | Buffer): Promise<CommandResult> {
    return runCommandHere(words, { settings: this.settings, stdin });
  }

  /** Runs a command with `--json` in this process. Throws unless it printed nothing but its document. */
  async json<T = Readonly<Record<string, never>>>(words: readonly string[], stdin?: string): Promise<T> {
    const { code, stdout, stderr } = await this.runHere([...words, '--json'], stdin);
    if (code !== 0 || stderr !== '') throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Runs a command with `--json` that must fail, in this process; returns what it printed on standard error. */
  async failure(words: readonly string[], stdin?: string): Promise<{ error: string; code: string }> {
    const { code, stdout, stderr } = await this.runHere([...words, '--json'], stdin);
    if (code !== 1 || stdout !== '') throw new Error(`${words.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stderr);
  }

  createUser(email: string, password = 'a fine passphrase'): Promise<{ id: string; email: string }> {
    return this.json(['user', 'create', '--email', email, '--password-stdin'], password);
  }
}
