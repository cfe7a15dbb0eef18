/** `node server/demo/seed-demo.ts`: creates the demo data in the configured database and prints it as JSON. */
import { withServicesDeps } from '../admin/admin-context.ts';
import { describeFailure } from '../admin/command-output.ts';
import { readConfig } from '../settings/config.ts';
import { seedDemoData } from './seed-demo-data.ts';

try {
  const demo = await withServicesDeps(readConfig(process.env), seedDemoData);
  process.stdout.write(`${JSON.stringify(demo, null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${describeFailure(error).error}\n`);
  process.exitCode = 1;
}
