/**
 * `npm run simulate`: runs histories under a seed. The first one that violates an invariant is shortened as far as
 * possible, told as a story, and stored in a file that replays it. With `--support` it replays what a client has
 * recorded instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { type History, type HistoryResult, runHistory, someHistory } from './run-history.ts';
import { tellSupportFile } from './support/tell-support-file.ts';
import { dayMs } from './world.ts';

const usage = `usage: npm run simulate -- [OPTIONS]

  --seed N         the seed of all histories (a new one each time)
  --histories M    how many (10)
  --devices N      machines in each (6)
  --days N         how long each lasts at most, before the calm in which every device comes back to the truth (30)
  --steps N        how many actions each has at most (60)
  --twice          runs each twice, and compares all that happened
  --shrink S       how many seconds to look for a shorter history (60)
  --out FILE       where the shortest one is written (in the folder of temporary files)
  --history FILE   runs the history in the file, and tells its story
  --from STEP      with --history: also tells every exchange with the server from that step on
  --support FILE   replays a support file of the client up to what its window showed, and compares that: exit code 0 if the
                   client shows the same, 1 if it does not, 2 if the file cannot be replayed
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    histories: { type: 'string', default: '10' },
    devices: { type: 'string', default: '6' },
    days: { type: 'string', default: '30' },
    steps: { type: 'string', default: '60' },
    twice: { type: 'boolean', default: false },
    shrink: { type: 'string', default: '60' },
    out: { type: 'string' },
    history: { type: 'string' },
    from: { type: 'string' },
    support: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(usage);
else if (values.support !== undefined) process.exitCode = await tellSupportFile(values.support, console);
else if (values.history === undefined) await simulate();
else await replay(values.history);

async function simulate(): Promise<void> {
  const seed = values.seed === undefined ? Math.floor(Date.now() / 1000) : Number(values.seed);
  const [days, numRuns] = [Number(values.days), Number(values.histories)];
  const options = { devices: Number(values.devices), steps: Number(values.steps) };
  const startedMs = performance.now();
  let [count, steps, simulatedMs] = [0, 0, 0];
  let failedAtMs: number | undefined;
  const property = fc.asyncProperty(someHistory(options), async (history) => {
    // After the first failure, all histories come from shrinking; when its time is up, the shortest failing one is
    // told.
    if (failedAtMs !== undefined && performance.now() - failedAtMs > Number(values.shrink) * 1000) return;
    const result = await runHistory(history, { days });
    if (values.twice) await requireSame(history, result, days);
    if (result.violation) {
      if (failedAtMs === undefined) console.log(`${result.violation.message} (step ${result.steps})`);
      failedAtMs ??= performance.now();
      throw result.violation;
    }
    if (failedAtMs === undefined)
      [count, steps, simulatedMs] = [count + 1, steps + result.steps, simulatedMs + result.simulatedMs];
  });
  const checked = await fc.check(property, { seed, numRuns });
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const held = `${count} histories held under the seed ${seed}: ${steps} steps, ${Math.round(simulatedMs / dayMs)} days in ${seconds} s`;
  console.log(held);
  if (!checked.failed) return;
  process.exitCode = 1;
  const [history] = checked.counterexample ?? [];
  if (!history) throw checked.errorInstance;
  const file = values.out ?? join(tmpdir(), `history-${seed}.json`);
  writeFileSync(file, `${JSON.stringify(history, undefined, 2)}\n`);
  await replay(file);
  console.log(`\nreplay: npm run simulate -- --history ${file} --from 0`);
}

async function replay(file: string): Promise<void> {
  const history: History = JSON.parse(readFileSync(file, 'utf8'));
  const traceFrom = values.from === undefined ? {} : { traceFrom: Number(values.from) };
  const result = await runHistory(history, { days: Number(values.days), ...traceFrom });
  console.log(result.story.join('\n'));
  if (result.violation) process.exitCode = 1;
}

async function requireSame(history: History, first: HistoryResult, days: number): Promise<void> {
  const second = await runHistory(history, { days });
  if (second.traceHash !== first.traceHash) throw new Error('the same history took another course the second time');
}
