/** Runs an admin command on existing services, instead of opening the database again. */
import { Writable } from 'node:stream';
import { AdminContext } from '../../server/admin/admin-context.ts';
import { createAdminProgram } from '../../server/admin/admin-program.ts';
import type { Services } from '../../server/services.ts';
import type { Json } from './test-server.ts';

/** Returns what the command prints with `--json`. Rejects if it fails. */
export async function runAdmin(words: readonly string[], services: Services, dataFolder: string): Promise<Json> {
  return JSON.parse(await printAdmin([...words, '--json'], services, dataFolder));
}

/** Returns what the command prints. Rejects if it fails. */
export async function printAdmin(words: readonly string[], services: Services, dataFolder: string): Promise<string> {
  let printed = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      printed += String(chunk);
      done();
    },
  });
  const context = new AdminContext({
    terminal: { input: process.stdin, output, errors: process.stderr },
    environment: { LATCHKEY_DATA: dataFolder },
    folder: dataFolder,
  });
  context.withServices = (work) => work(services);
  await createAdminProgram(context).parseAsync([...words], { from: 'user' });
  return printed;
}
