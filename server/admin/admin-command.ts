/** What every verb shares: the ways to the services and the terminal, and how its answer is printed. */
import { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Services } from '../services.ts';
import { type Answer, formatAnswer } from './answer.ts';
import type { Input } from './password-input.ts';

/** Where commands read and write; the process's own in `admin.ts`. */
export type Terminal = {
  readonly input: Input;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
};

export type AdminContext = {
  readonly terminal: Terminal;
  /** Throws `StartError` for a wrong setting, and so only once a verb runs. */
  readonly config: () => Config;
  /** Opens the database for as long as `work` takes. */
  readonly withServices: <T>(work: (services: Services) => Promise<T>) => Promise<T>;
  /** The absolute path of a file as the person named it. */
  readonly resolveFile: (path: string) => string;
};

/**
 * The action of a verb: `work` gets the arguments, the options and the command, as commander passes them,
 * and its answer is printed as the caller wants it.
 */
export function answering({ terminal }: AdminContext, work: (...inputs: never[]) => Promise<Answer>) {
  return async (...inputs: unknown[]): Promise<void> => {
    const command = inputs.at(-1);
    if (!(command instanceof Command)) throw new TypeError('commander passes the command last');
    const answer = await work(...(inputs as never[]));
    await write(terminal.output, formatAnswer(answer, wantsJson(command)));
    if (answer.failure) throw answer.failure;
  };
}

/** Whether the caller wants one JSON document; then nothing asks a person either. */
export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

/** A reader that has gone away, such as `head`, has read what it wanted. */
function write(output: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) =>
    output.write(text, (error) => (error && !('code' in error && error.code === 'EPIPE') ? reject(error) : resolve())),
  );
}
