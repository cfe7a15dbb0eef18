/** `npm run admin`: runs the admin command on the process's command line. */
import { AdminContext } from './admin-context.ts';
import { runAdminCommand } from './admin-program.ts';

/** npm changes to the project's folder, but file names are relative to where the admin called it. */
const folder = (process.env.npm_lifecycle_event === 'admin' && process.env.INIT_CWD) || process.cwd();

// Exiting removes the temporary folder of a backup or a restore, even after an interruption.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

// Each write receives its own error; without a listener, the error would also end the process.
process.stdout.on('error', () => undefined);

const context = new AdminContext({
  terminal: { input: process.stdin, output: process.stdout, errors: process.stderr },
  environment: process.env,
  folder,
});
process.exitCode = await runAdminCommand(process.argv.slice(2), context);
