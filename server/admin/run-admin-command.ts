/** Runs one admin command from its words to its exit code. */
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { type Environment, readConfig } from '../config.ts';
import type { Terminal } from './admin-command.ts';
import { createAdminProgram } from './admin-program.ts';
import { describeFailure } from './failure.ts';
import { withServices } from './open-services.ts';

export type AdminProcess = {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** What relative file names are relative to. */
  readonly folder: string;
};

/** 0 for success and for help that was asked for, 1 for a failure, 2 for wrong usage. */
export async function runAdminCommand(words: readonly string[], process: AdminProcess): Promise<0 | 1 | 2> {
  const { terminal, environment, folder } = process;
  const config = () => readConfig(environment);
  const program = createAdminProgram({
    terminal,
    config,
    withServices: (work) => withServices(config(), work),
    resolveFile: (path) => resolve(folder, path),
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    // The usage is on standard error already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = describeFailure(error);
    const { json } = program.opts<{ json?: boolean }>();
    terminal.errors.write(json ? `${JSON.stringify(failure)}\n` : `${failure.error}\n`);
    return 1;
  }
}
