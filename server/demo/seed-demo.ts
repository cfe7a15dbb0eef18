/** `node server/demo/seed-demo.ts`: puts the demo data into the database of LATCHKEY_DATA and prints it as JSON. */
import { describeFailure } from '../admin/failure.ts';
import { withAdminParts } from '../admin/open-services.ts';
import { readConfig } from '../config.ts';
import { seedDemoData } from './seed-demo-data.ts';

try {
  const demo = await withAdminParts(readConfig(process.env), seedDemoData);
  process.stdout.write(`${JSON.stringify(demo, null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${describeFailure(error).error}\n`);
  process.exitCode = 1;
}
