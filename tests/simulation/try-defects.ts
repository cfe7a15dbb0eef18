/** Plants each defect in turn, runs histories until an invariant falls, and tells how many steps that took. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defects } from './defects.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    histories: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

for (const { name } of defects.filter((defect) => defect.name.includes(values.only))) {
  const run = spawnSync(
    process.execPath,
    [
      '--import',
      here('plant-defect.ts'),
      here('simulate.ts'),
      ...['--seed', values.seed, '--histories', values.histories, '--shrink', '0'],
    ],
    { env: { ...process.env, SIMULATION_DEFECT: name }, encoding: 'utf8', timeout: 600_000 },
  );
  const found = /^(.+) \(step (\d+)\)$/m.exec(run.stdout);
  const held = /^(\d+) histories held.*: (\d+) steps/m.exec(run.stdout);
  const steps = Number(found?.[2] ?? 0) + Number(held?.[2] ?? 0);
  console.log(`${found ? 'caught' : 'NOT CAUGHT'}\t${steps} steps\t${name}\t${found?.[1] ?? run.stderr.slice(-400)}`);
}
