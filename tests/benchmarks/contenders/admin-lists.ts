/** How much memory admin commands take that read all of a million accounts. Linux only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment, repository } from '../../harness/environment.ts';
import type { BenchRun } from '../bench-run.ts';
import { readMemoryMiB } from '../measured-process.ts';
import { type Contender, NotAvailable, type Sample, WrongResponse } from '../measurement.ts';
import { launcher } from './server-processes.ts';

/** Each prints at least so many bytes, or it has left accounts out. */
const commands: Readonly<Record<string, { readonly words: readonly string[]; readonly leastBytes: number }>> = {
  'user list': { words: ['user', 'list', '--json'], leastBytes: 100_000_000 },
  'license list': { words: ['license', 'list', '--json'], leastBytes: 100_000_000 },
  check: { words: ['check', '--json'], leastBytes: 10 },
};

export function adminLists(run: BenchRun, millionAccounts: () => Promise<string>): Contender[] {
  if (!run.effort.full) return [];
  return Object.entries(commands).map(([name, { words, leastBytes }]) => ({
    name: `admin ${name}`,
    group: 'admin lists',
    rounds: 1,
    measure: async () => measurePeak(words, leastBytes, await millionAccounts()),
  }));
}

async function measurePeak(words: readonly string[], leastBytes: number, dataFolder: string): Promise<Sample> {
  if (process.platform !== 'linux') throw new NotAvailable('memory is read from /proc');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [launcher, 'server/admin/admin.ts', ...words], {
    cwd: repository,
    env: childEnvironment({ LATCHKEY_DATA: dataFolder, NODE_COMPILE_CACHE: '' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let mebibytes = 0;
  const look = () => {
    if (child.exitCode === null && child.pid !== undefined) mebibytes = readPeak(child.pid) ?? mebibytes;
  };
  const watch = setInterval(look, 20);
  let bytes = 0;
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
  });
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0 || bytes < leastBytes)
    throw new WrongResponse(`${words.join(' ')}: ${bytes} bytes, exit code ${code}`);
  return { mebibytes, milliseconds: performance.now() - startedAt };
}

/** `undefined` when the process has ended meanwhile. */
function readPeak(pid: number): number | undefined {
  try {
    return readMemoryMiB(pid).peak || undefined;
  } catch {
    return undefined;
  }
}
