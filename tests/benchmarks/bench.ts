/**
 * `npm run bench`: the speed of the service and the desktop app, each compared with something measured in the same run.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { repository } from '../harness/environment.ts';
import { BenchRun, type Effort } from './bench-run.ts';
import { allContenders } from './contenders/all-contenders.ts';
import { selectContenders } from './contenders/select-contenders.ts';
import { saveFullRows } from './report/full-rows.ts';
import { writeFullRows, writeReadme } from './report/readme.ts';
import { createReport } from './report/report.ts';
import { formatReport } from './report/terminal.ts';
import { runRounds } from './run-rounds.ts';

const help = `usage: npm run bench [-- OPTIONS]

  --only NAME,…    these rows or groups, and what they are compared with
  --list           list all rows and groups
  --seconds N      how long each load lasts (1)
  --rounds N       how many rounds (4)
  --connections N  how many connections (64)
  --full           also what takes minutes
  --json FILE      write all samples to this file
  --write          write the tables and the plot of the README; with --only, the table of --full
`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    full: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const effort: Effort = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  connections: Number(options.connections),
  full: options.full,
};

function tell(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what}`);
}

async function bench(): Promise<void> {
  if (options.write && options.only && !effort.full) throw new Error('--write with --only needs --full');
  const run = new BenchRun(effort, tell);
  const interrupt = () => void run.end().finally(() => process.exit(1));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const all = allContenders(run);
    const measurable = all.filter(({ onlyFull }) => effort.full || !onlyFull);
    const contenders = selectContenders(measurable, options.only?.split(','));
    if (options.list) return console.log(contenders.map(({ group, name }) => `${group}: ${name}`).join('\n'));
    // The bundle is measured, since that is what users run.
    tell('building');
    execFileSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--app', '--logLevel', 'warn'], {
      cwd: repository,
      stdio: 'inherit',
    });
    const findings = await runRounds(contenders, effort.rounds, tell);
    tell('');
    const report = createReport(contenders, effort, findings);
    console.log(formatReport(report));
    if (options.write && effort.full) {
      saveFullRows(
        report,
        all.flatMap(({ name, onlyFull }) => (onlyFull ? name : [])),
      );
      writeFullRows();
    }
    if (options.write && !options.only) writeReadme(report);
    if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    if (findings.failed.size > 0) process.exitCode = 1;
  } finally {
    await run.end();
  }
}

if (options.help) console.log(help);
else await bench();
