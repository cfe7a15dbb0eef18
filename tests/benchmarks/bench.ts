/** `npm run bench`: how fast the service and the desktop app's hashing are, against yardsticks measured in the same run. */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { formatReport, type Report } from './format-report.ts';
import { type Effort, measureEndpoints } from './measure-endpoints.ts';
import { measureHash } from './measure-hash.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});

const effort: Effort = options.quick
  ? { rounds: 3, seconds: 1, connections: 64 }
  : { rounds: 5, seconds: 4, connections: 64 };

const tell = (what: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what}`);
};

const endpoints = await measureEndpoints(effort, tell);
tell('hashing');
const sha256 = await measureHash(options.quick ? 128 : 512, effort.rounds);
tell('');

const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() };
const report: Report = { machine, effort, endpoints, sha256 };
console.log(options.json ? JSON.stringify(report, null, 2) : formatReport(report));
