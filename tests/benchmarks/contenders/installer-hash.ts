/** SHA-256 of a large file: the desktop app's own implementation compared with the openssl program. */
import { spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemFiles } from '../../../electron/platform/files.ts';
import type { BenchRun } from '../bench-run.ts';
import { type Contender, NotAvailable, type Sample, WrongResponse } from '../measurement.ts';

const group = 'desktop';
const megabytes = 500;

export function installerHash(run: BenchRun): Contender[] {
  const file = run.once(async () => writeLargeFile(join(run.newFolder(), 'installer')));
  const hashes = new Set<string>();
  const requireSame = (sha256: string) => {
    if (hashes.add(sha256).size > 1) throw new WrongResponse('openssl and the desktop app disagree on a hash');
  };
  return [
    {
      name: `openssl: SHA-256 of ${megabytes} MB`,
      group,
      measure: async () => {
        const path = await file();
        const startedAt = performance.now();
        const { status, stdout } = spawnSync('openssl', ['dgst', '-sha256', '-r', path], { encoding: 'utf8' });
        if (status !== 0) throw new NotAvailable('openssl is not installed');
        requireSame(stdout.slice(0, 64));
        return speedSince(startedAt);
      },
    },
    {
      name: `installer: SHA-256 of ${megabytes} MB`,
      group,
      measure: async () => {
        const path = await file();
        const delay = monitorEventLoopDelay({ resolution: 1 });
        delay.enable();
        const startedAt = performance.now();
        const options = { signal: new AbortController().signal, onProgress: () => undefined };
        const outcome = await systemFiles.hashFile(path, options);
        const speed = speedSince(startedAt);
        delay.disable();
        if (outcome.kind !== 'hashed') throw new Error(`the file could not be hashed: ${outcome.kind}`);
        requireSame(outcome.sha256);
        return { ...speed, eventLoopP99Ms: delay.percentile(99) / 1e6 };
      },
    },
  ];
}

function speedSince(startedAt: number): Sample {
  return { megabytesPerSecond: megabytes / ((performance.now() - startedAt) / 1000) };
}

function writeLargeFile(path: string): string {
  const chunk = randomFillSync(Buffer.alloc(1_000_000));
  const file = openSync(path, 'wx', 0o600);
  for (let written = 0; written < megabytes; written++) writeSync(file, chunk);
  closeSync(file);
  return path;
}
