/**
 * What every admin command uses: the settings, the services on the database, the terminal, and the printing of results.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemDeps } from '../common-deps.ts';
import { describeDatabase, openDatabase } from '../database/open-database.ts';
import { codeOf, StartError } from '../errors.ts';
import { openSecrets } from '../secrets/secrets.ts';
import { createServices, type Services, type ServicesDeps } from '../services.ts';
import { type Config, readConfig } from '../settings/config.ts';
import type { Environment } from '../settings/read-settings.ts';
import type { Input } from './command-input.ts';
import { type CommandResult, formatResult, toPrintableLines } from './command-output.ts';

/** The streams that commands read and write. */
type Terminal = {
  readonly input: Input;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
};

type AdminContextDeps = {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** Folder that relative file names are resolved against. */
  readonly folder: string;
};

export class AdminContext {
  readonly terminal: Terminal;
  /** True if the command was called with `--json`, which also turns off prompts. */
  printsJson = false;
  /** True if the command changes nothing. */
  onlyReads = false;
  readonly #deps: AdminContextDeps;

  constructor(deps: AdminContextDeps) {
    this.terminal = deps.terminal;
    this.#deps = deps;
  }

  /** Returns the server's settings. Throws `StartError` for an invalid one, so it is not called for help. */
  config(): Config {
    return readConfig(this.#deps.environment);
  }

  /** Returns the absolute path of a file name that the admin entered. */
  resolveFile(path: string): string {
    return resolve(this.#deps.folder, path);
  }

  /** Opens the database while `work` runs. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
    const config = this.config();
    if (this.onlyReads) requireDefaultDatabase(config);
    return withServicesDeps(config, async (deps) => {
      if (deps.database.isNew && !this.printsJson) {
        const place = await describeDatabase(config);
        this.warn(`There was no database at ${place}; a new one was created.`);
      }
      return work(createServices(deps));
    });
  }

  /**
   * Creates the action of a command: `work` receives the arguments, the options and the command, as commander passes
   * them, and its result is printed as JSON or as text.
   */
  printing(work: (...inputs: never[]) => Promise<CommandResult>) {
    return async (...inputs: unknown[]): Promise<void> => {
      const result = await work(...(inputs as never[]));
      await this.#print(formatResult(result, this.printsJson));
      if (result.failure) throw result.failure;
    };
  }

  /** Like `printing`, for a command on the database: `work` receives the services first. */
  running(work: (services: Services, ...inputs: never[]) => Promise<CommandResult>) {
    return this.printing((...inputs) => this.withServices((services) => work(services, ...inputs)));
  }

  /** Writes a line for people to standard error. With `--json`, only the document is printed, so this does nothing. */
  warn(text: string): void {
    if (!this.printsJson) this.terminal.errors.write(`${toPrintableLines(text)}\n`);
  }

  /** Waits until each part is written, and stops once the reader has closed the pipe. */
  async printParts(parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    for await (const part of parts) if (!(await this.#print(part))) return;
  }

  /** Prints a report part by part, as JSON or as text, and closes it. */
  async printReport<R extends { close(): void }>(
    report: R,
    format: { readonly json: (report: R) => AsyncIterable<string>; readonly text: (report: R) => Iterable<string> },
  ): Promise<void> {
    try {
      await this.printParts(this.printsJson ? format.json(report) : format.text(report));
    } finally {
      report.close();
    }
  }

  /**
   * Resolves to true once the text is written, and to false if the reader has closed the pipe, as `head` does, which is
   * not an error.
   */
  #print(text: string): Promise<boolean> {
    return new Promise((resolve, reject) =>
      this.terminal.output.write(toPrintableLines(text), (error) => {
        if (!error) resolve(true);
        else if (codeOf(error) === 'EPIPE') resolve(false);
        else reject(this.#toPrintFailure(error));
      }),
    );
  }

  /** A result that is lost, such as a new license key on a full disk, must not look like a command that did nothing. */
  #toPrintFailure(cause: Error): Error {
    const done = this.onlyReads ? '' : ', but the command was carried out';
    return new Error(`The result cannot be printed (${cause.message})${done}.`, { cause });
  }
}

/**
 * Throws `StartError` if the database would be in the default folder and does not exist: the admin has forgotten
 * `LATCHKEY_DATA`, and an empty list would look like losing all data.
 */
function requireDefaultDatabase({ databaseUrl, databaseFile, dataFolder }: Config): void {
  if (databaseUrl !== undefined || dataFolder !== resolve('data') || existsSync(databaseFile)) return;
  throw new StartError(
    `There is no database at ${databaseFile}: set LATCHKEY_DATA or DATABASE_URL, as for the server.`,
  );
}

/**
 * Opens the database while `work` runs. If the database and the secrets do not exist yet, creates them as the server
 * does.
 */
export async function withServicesDeps<T>(config: Config, work: (deps: ServicesDeps) => Promise<T>): Promise<T> {
  const database = await openDatabase(config, systemDeps.clock);
  try {
    const secrets = await openSecrets(config.secretsFile, database, systemDeps.random);
    return await work({
      config,
      database,
      secrets,
      ...systemDeps,
    });
  } finally {
    await database.close();
  }
}
