/**
 * The command line: `latchkey COMMAND`. Runs a command on the client of the process that holds the profile: an open
 * window, another command, or this process itself.
 */
import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { app } from 'electron';
import { toPrintableJson } from '../../shared/formats/printable.ts';
import { createClient } from '../create-client.ts';
import { normalizeServerAddress, serverAddressRule } from '../licensing/server-address.ts';
import { controlPath } from '../platform/control-path.ts';
import { openProfile } from '../profile.ts';
import {
  type GlobalOptions,
  type Invocation,
  noCommand,
  readCommandLine,
  type Terminal,
  UnreadableFile,
  UsageError,
} from './cli-program.ts';
import { runClientCommand } from './client-commands.ts';
import { UnwritableFile } from './command-files.ts';
import { type CommandFailure, type CommandResult, type ExitCode, notRun, notUnderstood } from './command-result.ts';
import { connectControl, holderTimeoutMs, profileIsBusy } from './control-client.ts';
import { type Caller, serveControlIfPossible } from './control-server.ts';
import { formatFailure, formatResult } from './result-text.ts';

/** Runs the command, prints everything and resolves with the exit code. Never rejects. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const interrupted = new AbortController();
  const { signal: interrupt } = interrupted;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());
  const asksJson = args.includes('--json');
  // The code that writes gets the error.
  for (const stream of [terminal.output, terminal.errors]) stream.on('error', () => {});
  try {
    const printed = new PassThrough();
    const given = asksJson ? { ...terminal, output: printed, errors: nowhere } : terminal;
    const reading = readCommandLine(args, given, { version: app.getVersion(), signal: interrupt });
    const invocation = await Promise.race([reading, onInterrupt(interrupt)]);
    if (invocation === 'help' || invocation === 'version') {
      const text = String(printed.read() ?? '').trimEnd();
      if (asksJson) await write(terminal.output, `${toPrintableJson({ [invocation]: text })}\n`);
      return 0;
    }
    if ('failure' in invocation) {
      await Promise.race([
        reading.then((read) => (typeof read === 'string' ? undefined : read.discard?.())).catch(() => {}),
        wait(discardTimeoutMs),
      ]);
      return await printFailure(invocation, asksJson, terminal);
    }
    const result = await Promise.race([runInvocation(invocation, interrupt), onInterrupt(interrupt)]);
    try {
      return await print(result, invocation, terminal);
    } finally {
      await invocation.discard?.();
    }
  } catch (error) {
    // Commander has printed the usage, unless JSON was requested.
    if (error instanceof CommanderError && !asksJson) return 2;
    return printFailure(describe(error), asksJson, terminal);
  }
}

/** How long an interrupted command may take to remove its copy of standard input. */
const discardTimeoutMs = 1000;

const nowhere = new Writable({ write: (_chunk, _encoding, next) => next() });

type FailedResult = Extract<CommandResult, { readonly failure: unknown }>;

function describe(error: unknown): FailedResult {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CommanderError) {
    const usage = error.code === 'commander.help' ? noCommand : message.replace(/^error: /, '');
    return { exit: 2, failure: { error: usage, code: 'USAGE' } };
  }
  if (error instanceof UsageError) return { exit: 2, failure: { error: message, code: 'USAGE' } };
  if (error instanceof UnreadableFile) return { exit: 1, failure: { error: message, code: 'FILE_UNREADABLE' } };
  if (error instanceof UnwritableFile) return { exit: 1, failure: { error: message, code: 'FILE_NOT_WRITTEN' } };
  return { exit: 1, failure: { error: message, code: 'STORE_UNAVAILABLE' } };
}

function onInterrupt(signal: AbortSignal): Promise<FailedResult> {
  const result: FailedResult = { exit: 130, failure: { error: 'Interrupted.', code: 'CANCELED' } };
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(result), { once: true }));
}

const holderPollMs = 100;

async function runInvocation(invocation: Invocation, signal: AbortSignal): Promise<CommandResult> {
  const { command, input, options } = invocation;
  const server = requireAllowedServer(options);
  const profile = openProfile(options.profile);
  const path = controlPath(profile);
  const deadline = performance.now() + holderTimeoutMs;
  while (!signal.aborted) {
    const holder = await connectControl(path);
    if (holder !== null) {
      signal.addEventListener('abort', () => holder.close(), { once: true });
      const status = await holder.status({ server });
      if (status === 'hangs') break;
      const result = status === 'not-run' ? null : await holder.run(command, input, server);
      holder.close();
      if (result !== null) return result;
    } else if (app.requestSingleInstanceLock({ cli: true })) {
      return runHere(invocation, { profile, path, signal, server });
    }
    if (performance.now() > deadline) break;
    await wait(holderPollMs);
  }
  throw profileIsBusy(profile);
}

/**
 * Returns the server address that the command names, if any. Throws `UsageError` if it is not allowed, or if the one in
 * the environment is not.
 */
function requireAllowedServer({ server }: GlobalOptions): string | undefined {
  const given = { '--server': server, LATCHKEY_SERVER_URL: process.env.LATCHKEY_SERVER_URL || undefined };
  for (const [source, address] of Object.entries(given)) {
    if (address === undefined || normalizeServerAddress(address) !== null) continue;
    throw new UsageError(`The address in ${source} is not allowed: ${serverAddressRule}`);
  }
  return server;
}

type Here = Caller & { readonly profile: string; readonly path: string };

/** Holds the profile until the command is done, and meanwhile serves the commands that other processes send. */
async function runHere(
  { command, input }: Invocation,
  { profile, path, signal, server }: Here,
): Promise<CommandResult> {
  await app.whenReady();
  const { client, log, scheme } = await createClient({
    folder: profile,
    withoutKeyring: 'file',
    hasWindow: false,
    ...(server !== undefined && { serverAddress: server }),
  });
  const context = { client, profile, hasWindow: false, scheme, openRequests: null, log };
  const control = await serveControlIfPossible(
    path,
    async (name, given, caller) => {
      // Those processes run their command themselves, with their own server.
      if (server !== undefined && caller.server !== server) return notRun;
      return runClientCommand(name, given, { ...context, ...caller });
    },
    log,
  );
  try {
    return await runClientCommand(command, input, { ...context, signal, server });
  } finally {
    await control.close();
    await client.stop();
    await log.flush();
  }
}

async function print(result: CommandResult, invocation: Invocation, terminal: Terminal): Promise<ExitCode> {
  const asksJson = invocation.options.json === true;
  if ('failure' in result) return printFailure(result, asksJson, terminal);
  const text = await format(result.value, invocation);
  if (text === null) return printFailure(notUnderstood, asksJson, terminal);
  await write(terminal.output, `${text}\n`);
  if (result.incomplete !== undefined) await writeFailure(result.incomplete, asksJson, terminal);
  return result.exit;
}

/** Returns `null` if another process has answered with something other than the command's document. */
async function format(value: unknown, { command, options, finish }: Invocation): Promise<string | null> {
  try {
    const document = finish === undefined ? value : await finish(value);
    return options.json ? toPrintableJson(document) : formatResult(command, document);
  } catch (error) {
    if (error instanceof UnwritableFile) throw error;
    return null;
  }
}

/** The exit code reports the failure even if nothing can be written. */
async function printFailure({ exit, failure }: FailedResult, asksJson: boolean, terminal: Terminal): Promise<ExitCode> {
  await writeFailure(failure, asksJson, terminal).catch(() => {});
  return exit;
}

function writeFailure(failure: CommandFailure, asksJson: boolean, { errors }: Terminal): Promise<void> {
  return write(errors, `${asksJson ? toPrintableJson(failure) : formatFailure(failure)}\n`);
}

/**
 * Resolves once the text is written, since the process exits right after, or once nobody reads it any more, as with
 * `head`. Rejects with `UnwritableFile` if it cannot be written, e.g. because the disk is full.
 */
async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => stream.write(text, resolve));
  if (error && error.code !== 'EPIPE') throw new UnwritableFile(`The output cannot be written (${error.code}).`);
}

/** Returns the terminal of this process. */
export function ownTerminal(): Terminal {
  // npm changes to the project's folder; file names are relative to the folder where it was called.
  const folder = (process.env.npm_lifecycle_event === 'latchkey' && process.env.INIT_CWD) || process.cwd();
  return { input: process.stdin, output: process.stdout, errors: process.stderr, folder, ask: askHidden };
}

function askHidden(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const discard = new Writable({ write: (_chunk, _encoding, next) => next() });
  const lines = createInterface({ input: process.stdin, output: discard, terminal: true });
  return new Promise((resolve, reject) => {
    lines.on('SIGINT', () => process.emit('SIGINT'));
    lines.once('close', () => reject(new UsageError('No password was given.')));
    lines.question('', (answer) => {
      resolve(answer);
      lines.close();
      process.stderr.write('\n');
    });
  });
}
