/** Where a command gets a password from: standard input, or a person who types it unseen. Never an argument. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { ApiError } from '../errors.ts';

/** Standard input; a terminal where a person sits at it. */
export type Input = Readable & { readonly isTTY?: boolean };

type PasswordSource = {
  readonly input: Input;
  /** Where the question is asked; standard output is for the answer alone. */
  readonly errors: NodeJS.WritableStream;
};

const largestBytes = 64 * 1024;

/** All of standard input as a password; the newline that ends it is dropped. */
export async function readPassword(input: Input): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > largestBytes) throw new ApiError('VALIDATION_ERROR', 'The password on standard input is too long.');
  }
  return decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The password on standard input is not UTF-8.');
  }
}

/** Asks twice at the terminal, without showing what is typed. */
export async function askPassword(source: PasswordSource): Promise<string> {
  const first = await askUnseen(source, 'Password: ');
  if ((await askUnseen(source, 'Again: ')) !== first) {
    throw new ApiError('VALIDATION_ERROR', 'The two passwords are not the same.');
  }
  return first;
}

function askUnseen({ input, errors }: PasswordSource, question: string): Promise<string> {
  errors.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    lines.on('SIGINT', () => lines.close());
    lines.once('close', () => reject(new ApiError('VALIDATION_ERROR', 'No password was given.')));
    lines.question('', (answer) => {
      resolve(answer);
      lines.close();
      errors.write('\n');
    });
  });
}
