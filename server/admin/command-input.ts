/** Reads a command's input: parsed option values, and passwords from standard input or a terminal. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { InvalidArgumentError, Option } from 'commander';
import { maxDeviceCount } from '../../shared/formats/plan-fields.ts';
import { ApiError } from '../errors.ts';
import { parseIsoTime } from '../iso-time.ts';

/**
 * Parses an ISO 8601 date or time, past or future, to ms since 1970; UTC if it has no time zone. Throws
 * `InvalidArgumentError`.
 */
export function parseTime(value: string): number {
  const timeMs = parseIsoTime(value);
  if (timeMs === undefined) {
    throw new InvalidArgumentError('It must be an ISO 8601 date or time such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  }
  return timeMs;
}

/** Like `parseTime`, but also accepts the word `none`. Throws `InvalidArgumentError`. */
export function parseTimeOrNone(value: string): number | 'none' {
  return value === 'none' ? value : parseTime(value);
}

/** Parses a number of devices. Throws `InvalidArgumentError`. */
export function parseCount(value: string): number {
  if (!/^\d{1,7}$/.test(value) || Number(value) > maxDeviceCount) {
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${maxDeviceCount}.`);
  }
  return Number(value);
}

/** Parses a number of days, or the word `default`. Throws `InvalidArgumentError`. */
export function parseLeaseDays(value: string): number | 'default' {
  if (value === 'default') return value;
  if (!/^[1-9]\d{0,3}$/.test(value))
    throw new InvalidArgumentError('It must be a number of days from 1, or "default".');
  return Number(value);
}

/** Creates the option `--dry-run`, for commands that can report what they would change. */
export function dryRunOption(): Option {
  return new Option('--dry-run', 'change nothing, and print how many accounts, licenses and devices would change');
}

export type FeatureSwitches = Readonly<Record<string, boolean>>;

/** Adds a switch such as `csv_export=true` to the previous ones. Throws `InvalidArgumentError`. */
export function collectFeature(value: string, previous: FeatureSwitches = {}): FeatureSwitches {
  const [name = '', state = '', ...rest] = value.split('=');
  if (name === '' || rest.length > 0 || (state !== 'true' && state !== 'false')) {
    throw new InvalidArgumentError(`Write NAME=true or NAME=false. "feature list" shows the names.`);
  }
  return { ...previous, [name]: state === 'true' };
}

/** Parses the SHA-256 of an API key: 64 hex characters, with or without `sha256:`. Throws `InvalidArgumentError`. */
export function parseSha256(value: string): string {
  const hex = value.toLowerCase().replace(/^sha256:/, '');
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new InvalidArgumentError('It must be 64 hex characters.');
  return hex;
}

/** Standard input, which may be a terminal. */
export type Input = Readable & { readonly isTTY?: boolean };

type PasswordSource = {
  readonly input: Input;
  /** The prompt is written here, because standard output has only the result. */
  readonly errors: NodeJS.WritableStream;
};

const maxSecretBytes = 64 * 1024;

/** Reads all of standard input as a secret, without one trailing newline. Throws `ApiError` VALIDATION_ERROR. */
export async function readSecret(input: Input, name: 'password' | 'passphrase' | 'key'): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > maxSecretBytes) throw new ApiError('VALIDATION_ERROR', `The ${name} on standard input is too long.`);
  }
  const secret = decode(Buffer.concat(chunks), name).replace(/\r?\n$/, '');
  if (secret === '') throw new ApiError('VALIDATION_ERROR', `There is no ${name} on standard input.`);
  return secret;
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', `The ${name} on standard input is not UTF-8.`);
  }
}

/** Asks twice at the terminal, without echoing the input. Throws `ApiError` VALIDATION_ERROR. */
export async function askPassword(source: PasswordSource): Promise<string> {
  const first = await promptHidden(source, 'Password: ');
  if ((await promptHidden(source, 'Again: ')) !== first) {
    throw new ApiError('VALIDATION_ERROR', 'The two passwords do not match.');
  }
  return first;
}

function promptHidden({ input, errors }: PasswordSource, prompt: string): Promise<string> {
  errors.write(prompt);
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: discard, terminal: true });
  return new Promise((resolve, reject) => {
    lines.on('SIGINT', () => lines.close());
    lines.once('close', () => reject(new ApiError('VALIDATION_ERROR', 'No password was given.')));
    lines.question('', (password) => {
      resolve(password);
      lines.close();
      errors.write('\n');
    });
  });
}
