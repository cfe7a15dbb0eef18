/** `npm run admin`: the admin command that the process was started with. */
import { runAdminCommand } from './run-admin-command.ts';

/** npm moves to the project's folder; a person names files from where they are. */
const folder = (process.env.npm_lifecycle_event === 'admin' && process.env.INIT_CWD) || process.cwd();

// What a command keeps beside for a moment is removed as the process exits, an interrupted one too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

// Whoever writes is told; without a listener it would end the process as well.
process.stdout.on('error', () => undefined);

process.exitCode = await runAdminCommand(process.argv.slice(2), {
  terminal: { input: process.stdin, output: process.stdout, errors: process.stderr },
  environment: process.env,
  folder,
});
