/** The desktop app: how quickly it and its command line know the entitlement offline, and the size of its scripts. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
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
const commandLine = join(repository, 'electron/host/run-desktop.ts');
const runNode = (words: readonly string[]) => promisify(execFile)(process.execPath, words);

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
    {
      name: 'command line: a feature offline',
      group,
      measure: async () => {
        const { folder, address } = await profile();
        const words = ['feature', 'csv_export', '--json', '--profile', folder, '--server', address];
        const startedAt = performance.now();
        const { stdout } = await runNode([commandLine, '--cli', ...words]);
        const milliseconds = performance.now() - startedAt;
        if (!stdout.includes('"on":true')) throw new WrongResponse(`"feature csv_export" printed ${stdout}`);
        return { milliseconds };
      },
    },
    { name: 'script of main at its start', group, rounds: 1, measure: async () => measureMain() },
    { name: 'compressed script of the window', group, rounds: 1, measure: async () => measureScript() },
  ];
}

async function startClient(words: readonly string[]): Promise<string> {
  const { stdout } = await runNode([program, ...words]);
  return stdout;
}

/** Measures what is compiled before the window opens; the rest is loaded on first use. */
function measureMain(): Sample {
  const folder = join(repository, 'dist/main');
  const bytes = ['main.cjs', 'rolldown-runtime.cjs'].map((name) => statSync(join(folder, name)).size);
  return { kilobytes: bytes.reduce((sum, size) => sum + size, 0) / 1000 };
}

/** Measures all scripts that the page references plus its largest language, compressed with gzip. */
function measureScript(): Sample {
  const folder = join(repository, 'dist/renderer/assets');
  const page = readFileSync(join(folder, '../index.html'), 'utf8');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const kilobytesOf = (name: string) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length / 1000;
  const named = scripts.filter((name) => page.includes(name)).map(kilobytesOf);
  const loadedByThem = scripts.filter((name) => !page.includes(name)).map(kilobytesOf);
  return { kilobytes: named.reduce((sum, size) => sum + size, 0) + Math.max(0, ...loadedByThem) };
}
