/**
 * Plants each defect in turn, runs histories until an invariant fails, and prints how many steps that took. The
 * shortest failing history is stored under the defect's name for `defects.test.ts`.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { defects, historyOf, runPlanted } from './defects.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    histories: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    shrink: { type: 'string', default: '20' },
  },
});

for (const defect of defects.filter(({ name }) => name.includes(values.only))) {
  const { seed, histories, shrink } = values;
  const words = ['--seed', seed, '--histories', histories, '--shrink', shrink, '--out', historyOf(defect)];
  const { stdout, stderr } = spawnSync(...runPlanted(defect, words));
  const found = /^(.+) \(step (\d+)\)$/m.exec(stdout);
  const held = /^(\d+) histories held.*: (\d+) steps/m.exec(stdout);
  const steps = Number(found?.[2] ?? 0) + Number(held?.[2] ?? 0);
  console.log(
    `| ${defect.name} | ${found ? found[1]?.split(':')[0] : `NOT CAUGHT ${stderr.slice(-300)}`} | ${steps} |`,
  );
}
