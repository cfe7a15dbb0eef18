/** The desktop app: how soon it knows offline what it may do, and how large the script of its window is. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { repository } from '../../harness/environment.ts';
import { startServer } from '../../harness/start-server.ts';
import type { BenchRun } from '../bench-run.ts';
import { type Contender, type Sample, WrongResponse } from '../measurement.ts';
import type { Installation } from '../seed/installation.ts';
import { emailOf, licenseKeyOf } from '../seed/seeded-accounts.ts';

const group = 'desktop';
const program = join(import.meta.dirname, '../programs/client-start.ts');

export function desktop(run: BenchRun, installation: () => Promise<Installation>): Contender[] {
  const profile = run.once(async () => {
    const folder = run.newFolder();
    const { dataFolder } = await installation();
    const server = await startServer({ LATCHKEY_DATA: dataFolder }, { log: 'discard' });
    await startClient([folder, server.url, emailOf(0), licenseKeyOf(0)]);
    await server.stop();
    return { folder, address: server.url };
  });
  return [
    {
      name: 'client: start to known entitlement offline',
      group,
      measure: async () => {
        const { folder, address } = await profile();
        const { milliseconds, features } = JSON.parse(await startClient([folder, address]));
        if (features === 0) throw new WrongResponse('the client that started offline has no features');
        return { milliseconds };
      },
    },
    { name: 'compressed script of the window', group, rounds: 1, measure: async () => measureScript() },
  ];
}

async function startClient(words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words]);
  return stdout;
}

/** All scripts that the page itself names and its largest language, as gzip compresses them. */
function measureScript(): Sample {
  const folder = join(repository, 'dist/renderer/assets');
  const page = readFileSync(join(folder, '../index.html'), 'utf8');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const kilobytesOf = (name: string) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length / 1000;
  const named = scripts.filter((name) => page.includes(name)).map(kilobytesOf);
  const loadedByThem = scripts.filter((name) => !page.includes(name)).map(kilobytesOf);
  return { kilobytes: named.reduce((sum, size) => sum + size, 0) + Math.max(0, ...loadedByThem) };
}
