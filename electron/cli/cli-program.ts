/**
 * The command line: commands, arguments and options, with help. Determines what to run and reads standard input for it.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Failure } from '../../shared/ipc/result.ts';
import { fileProblemOf } from '../licensing/file-problem.ts';
import { readLeaseFile } from '../opening/read-lease-file.ts';
import type { ClientCommand, ClientCommandInput } from './client-commands.ts';
import { type Finish, keepInput, writeLeaseRequest, writeSupportFile } from './command-files.ts';
import { withFileProblem } from './command-result.ts';

/** Streams and folder of the process. */
export type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  /** Base folder of relative file names. */
  readonly folder: string;
  /** Reads a secret without echoing it. */
  readonly ask: (prompt: string) => Promise<string>;
};

export type GlobalOptions = { readonly json?: boolean; readonly profile?: string; readonly server?: string };

export type Invocation = {
  readonly [Name in ClientCommand]: { readonly command: Name; readonly input: ClientCommandInput<Name> };
}[ClientCommand] & {
  readonly options: GlobalOptions;
  /** What this process does with the result of a successful command: write a file. */
  readonly finish?: Finish;
  /** Removes what was kept for the command, whatever its result. */
  readonly discard?: () => Promise<void>;
};

type Environment = {
  readonly version: string;
  /** Aborts copying standard input into a file. */
  readonly signal: AbortSignal;
};

export const noCommand = 'Give a command. --help lists them.';

/** Wrong usage that commander cannot detect. */
export class UsageError extends Error {}

/** A file that the command names cannot be read. */
export class UnreadableFile extends Error {
  constructor(path: string, problem: Pick<Failure, 'fileProblem'>) {
    super(withFileProblem(`${path} cannot be read.`, problem));
  }
}

/**
 * Returns what the command line asks for; `help` or `version` if that was printed instead. Throws `CommanderError`
 * after printing the usage, or one of the errors above.
 */
export async function readCommandLine(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<Invocation | 'help' | 'version'> {
  let chosen: Invocation | null = null;
  const program = createProgram(terminal, environment, (invocation) => {
    chosen = invocation;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw error;
    return error.code === 'commander.version' ? 'version' : 'help';
  }
  if (chosen === null) throw new UsageError(noCommand);
  return chosen;
}

type LeaseRequestOptions = { readonly keyStdin?: boolean; readonly out?: string; readonly qr?: boolean };

type Choose = (invocation: Invocation) => void;

function createProgram(terminal: Terminal, { version, signal }: Environment, choose: Choose): Command {
  const { output, errors } = terminal;
  const program = new Command('latchkey')
    .description('Activates this device, and says what its license includes and why.')
    .version(version)
    .option('--json', 'print one JSON document; a failure is {error, code} on standard error')
    .option('--profile <dir>', 'the folder in which the app stores its data (LATCHKEY_PROFILE)')
    .option('--server <url>', 'the address of the license server (LATCHKEY_SERVER_URL)')
    .addHelpText('after', exitCodes)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => output.write(text), writeErr: (text) => errors.write(text) })
    .exitOverride();
  const optionsOf = () => program.opts<GlobalOptions>();

  program
    .command('status')
    .description('the server, account, device, license, lease and features')
    .option('--check', 'ask the server first')
    .action(({ check = false }) => choose({ command: 'status', input: { check }, options: optionsOf() }));

  program
    .command('sign-in')
    .description('sign in to the account')
    .argument('<email>')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (email: string, { passwordStdin = false }) => {
      const password = passwordStdin ? await readSecret(terminal) : await askPassword(terminal, optionsOf());
      choose({ command: 'sign-in', input: { email, password }, options: optionsOf() });
    });

  program
    .command('sign-out')
    .description('sign out; the device stays activated')
    .option('--all-devices', 'end every session of the account')
    .action(({ allDevices: all_devices = false }) =>
      choose({ command: 'sign-out', input: { all_devices }, options: optionsOf() }),
    );

  program
    .command('activate')
    .description('activate this device; without a key, with the one that is stored')
    .argument('[key]', 'the license key')
    .option('--key-stdin', 'read the key from standard input')
    .option('--replace <activation-id>', 'release that device in the same step')
    .action(
      async (key: string | undefined, { keyStdin = false, replace }: { keyStdin?: boolean; replace?: string }) => {
        const license_key = await readKey(terminal, { key, keyStdin });
        const input = { license_key, ...(replace === undefined ? {} : { replaces: replace }) };
        choose({ command: 'activate', input, options: optionsOf() });
      },
    );

  const devices = program
    .command('devices')
    .description('the devices of the license')
    .action(() => choose({ command: 'devices', input: {}, options: optionsOf() }));
  devices
    .command('rename')
    .description('give this device another name; an empty one restores the name of the computer')
    .argument('<name>')
    .action((name: string) => choose({ command: 'devices rename', input: { name }, options: optionsOf() }));
  devices
    .command('release')
    .description('release a device, so that another one can be activated')
    .argument('<activation-id>')
    .action((activation_id: string) =>
      choose({ command: 'devices release', input: { activation_id }, options: optionsOf() }),
    );

  program
    .command('feature')
    .description('whether a feature is on, and why not')
    .argument('<name>')
    .action((feature: string) => choose({ command: 'feature', input: { feature }, options: optionsOf() }));

  program
    .command('why')
    .description('why a feature, or each feature, is on or off: what was looked at, who said it, until when')
    .argument('[name]')
    .action((feature: string | undefined) =>
      choose({ command: 'why', input: feature === undefined ? {} : { feature }, options: optionsOf() }),
    );

  const lease = program.command('lease').description('the lease, with which this device works offline');
  lease
    .command('show')
    .description('the lease of this device')
    .action(() => choose({ command: 'lease show', input: {}, options: optionsOf() }));
  lease
    .command('renew')
    .description('ask the server for the next lease')
    .action(() => choose({ command: 'lease renew', input: {}, options: optionsOf() }));
  lease
    .command('request')
    .description('write the request of a device that is never online; it contains the license key')
    .argument('[key]', 'the license key; without it, the one that is stored')
    .option('--key-stdin', 'read the key from standard input')
    .option('--out <file>', 'the file to write; otherwise one in the current folder')
    .option('--qr', 'also print it as a QR code, from which anyone can read the license key')
    .action(async (key: string | undefined, options: LeaseRequestOptions) => {
      const { keyStdin = false, out, qr = false } = options;
      const license_key = await readKey(terminal, { key, keyStdin });
      const finish = writeLeaseRequest({ folder: terminal.folder, out, qr: qr && !optionsOf().json });
      choose({ command: 'lease request', input: { license_key }, options: optionsOf(), finish });
    });
  lease
    .command('import')
    .description('import the answer for a device that is never online')
    .argument('<file>', 'a .lease file; - for standard input')
    .action(async (file: string) => {
      const text = file === '-' ? `${await readInput(terminal)}` : await readLease(resolve(terminal.folder, file));
      choose({ command: 'lease import', input: { text }, options: optionsOf() });
    });

  program
    .command('doctor')
    .description('check each step between this device and the server')
    .action(() => choose({ command: 'doctor', input: {}, options: optionsOf() }));

  program
    .command('scan')
    .description('look for license keys and API keys that should not be there; nothing is sent')
    .argument('<path...>', 'files and folders; - for standard input')
    .option('--report', 'have the server revoke each API key that is found')
    .action(async (paths: string[], { report = false }: { report?: boolean }) => {
      const isInput = paths.length === 1 && paths[0] === '-';
      const file = isInput ? await keepInput(terminal.input, signal) : null;
      const chosen = file === null ? requirePaths(terminal.folder, paths) : [file.path];
      const kept = file === null ? {} : { finish: file.finish, discard: file.discard };
      choose({ command: 'scan', input: { paths: chosen, report }, options: optionsOf(), ...kept });
    });

  program
    .command('support')
    .description('write a file for somebody who helps; it contains no secrets')
    .requiredOption('--out <file>', 'the file to write')
    .option('--days <n>', 'how many days back, 1 to 7', parseDays, 7)
    .action(({ out, days }: { out: string; days: number }) => {
      const finish = writeSupportFile(resolve(terminal.folder, out));
      choose({ command: 'support', input: { days }, options: optionsOf(), finish });
    });

  program
    .command('open')
    .description('open a link of this app or a .lease file in its window')
    .argument('<target>', 'the link or the file')
    .action((given: string) => {
      const target = /^[a-z][a-z0-9+.-]*:/i.test(given) ? given : resolve(terminal.folder, given);
      choose({ command: 'open', input: { target }, options: optionsOf() });
    });

  program
    .command('verify')
    .description('whether an installer is genuine; without a file, the one of this installation')
    .argument('[file]')
    .action((file: string | undefined) => {
      const input = file === undefined ? {} : { path: resolve(terminal.folder, file) };
      choose({ command: 'verify', input, options: optionsOf() });
    });

  const updates = program.command('updates').description('newer versions of the app');
  updates
    .command('check')
    .description('whether there is a newer version')
    .action(() => choose({ command: 'updates check', input: {}, options: optionsOf() }));
  updates
    .command('install')
    .description('download the newer version that its publisher has signed, and install it')
    .action(() => choose({ command: 'updates install', input: {}, options: optionsOf() }));

  printUsageWithErrors(program);
  return program;
}

const exitCodes = `
Exit codes: 0 done, or yes · 1 failed · 2 wrong usage · 3 answered: no · 4 nothing conclusive, such as a server that cannot
be reached. No secret has to be an argument: --password-stdin and --key-stdin read it from standard input.`;

/** The message is the last line, because the full help would hide it. */
function printUsageWithErrors(command: Command): void {
  command.configureOutput({
    outputError: (message, write) => {
      write(`Usage: ${command.createHelp().commandUsage(command)}\nAdd --help for more.\n\n${message}`);
    },
  });
  for (const subcommand of command.commands) printUsageWithErrors(subcommand);
}

function parseDays(value: string): number {
  if (!/^[1-7]$/.test(value)) throw new InvalidArgumentError('It must be a number from 1 to 7.');
  return Number(value);
}

const maxInputBytes = 64 * 1024;

/** Reads all of standard input as a password or key, without one trailing newline. */
async function readSecret(terminal: Terminal): Promise<string> {
  const bytes = await readInput(terminal);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new UsageError('Standard input is not UTF-8.');
  }
}

async function readInput({ input }: Terminal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > maxInputBytes) throw new UsageError('Standard input is too long.');
  }
  return Buffer.concat(chunks);
}

async function askPassword(terminal: Terminal, { json }: GlobalOptions): Promise<string> {
  if (json || terminal.input.isTTY !== true) throw new UsageError('Add --password-stdin and pipe the password in.');
  return terminal.ask('Password: ');
}

async function readKey(terminal: Terminal, given: { readonly key: string | undefined; readonly keyStdin: boolean }) {
  if (given.key !== undefined && given.keyStdin)
    throw new UsageError('Give the key once: as an argument or --key-stdin.');
  return given.keyStdin ? readSecret(terminal) : (given.key ?? '');
}

/** A scan of fewer paths than named would look like a scan of all of them. */
function requirePaths(folder: string, paths: readonly string[]): string[] {
  return paths.map((given) => {
    const path = resolve(folder, given);
    if (!existsSync(path)) throw new UnreadableFile(path, fileProblemOf('ENOENT', path));
    return path;
  });
}

async function readLease(path: string): Promise<string> {
  const { text, ...problem } = await readLeaseFile(path);
  if (text === null) throw new UnreadableFile(path, problem);
  return text;
}
