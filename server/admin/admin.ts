/** `npm run admin`: runs one admin command and exits with 0, 1 when it failed or 2 for wrong usage. */
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { readConfig } from '../config.ts';
import { createAdminProgram } from './admin-program.ts';
import { describeFailure } from './failure.ts';
import { withServices } from './open-services.ts';

const config = () => readConfig(process.env);

/** npm moves to the project's folder; a person names files from where they are. */
const folder = (process.env.npm_lifecycle_event === 'admin' && process.env.INIT_CWD) || process.cwd();

const program = createAdminProgram({
  terminal: { input: process.stdin, output: process.stdout, errors: process.stderr },
  config,
  withServices: (work) => withServices(config(), work),
  resolveFile: (path) => resolve(folder, path),
});

// What a command keeps beside for a moment is removed as the process exits, an interrupted one too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? endUsage(error) : fail(error);
}

/** Help was asked for, or the usage is on standard error already. */
function endUsage(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : 2;
}

function fail(error: unknown): number {
  const failure = describeFailure(error);
  const json = program.opts<{ json?: boolean }>().json;
  process.stderr.write(json ? `${JSON.stringify(failure)}\n` : `${failure.error}\n`);
  return 1;
}
