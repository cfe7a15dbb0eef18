/** SHA-256 of a large file: the desktop app's own reading against the openssl program, turn by turn. */
import { spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemFiles } from '../../electron/platform/files.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { median } from './median.ts';

export type HashMeasurement = {
  readonly megabytes: number;
  readonly megabytesPerSecond: number;
  /** `null`, as the ratio, where there is no openssl. */
  readonly opensslMegabytesPerSecond: number | null;
  readonly ratio: number | null;
  /** How long the event loop was held up meanwhile. */
  readonly eventLoopP99Ms: number;
};

export async function measureHash(megabytes: number, rounds: number): Promise<HashMeasurement> {
  const folder = makeTemporaryFolder();
  try {
    const path = join(folder, 'large file');
    writeLargeFile(path, megabytes);
    return await measureFile(path, megabytes, rounds);
  } finally {
    removeFolder(folder);
  }
}

async function measureFile(path: string, megabytes: number, rounds: number): Promise<HashMeasurement> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  for (let round = 0; round < rounds; round++) {
    const openssl = timeOpenssl(path);
    delay.enable();
    const own = await timeOwn(path);
    delay.disable();
    if (openssl && openssl.sha256 !== own.sha256) throw new Error('openssl and the desktop app disagree on a hash');
    if (openssl) theirs.push(openssl.seconds);
    ours.push(own.seconds);
  }
  const ownSpeed = megabytes / median(ours);
  const opensslSpeed = theirs.length > 0 ? megabytes / median(theirs) : null;
  return {
    megabytes,
    megabytesPerSecond: ownSpeed,
    opensslMegabytesPerSecond: opensslSpeed,
    ratio: opensslSpeed && ownSpeed / opensslSpeed,
    eventLoopP99Ms: delay.percentile(99) / 1e6,
  };
}

function writeLargeFile(path: string, megabytes: number): void {
  const chunk = randomFillSync(Buffer.alloc(1024 * 1024));
  const file = openSync(path, 'wx', 0o600);
  for (let written = 0; written < megabytes; written++) writeSync(file, chunk);
  closeSync(file);
}

async function timeOwn(path: string) {
  const startedAt = performance.now();
  const outcome = await systemFiles.hashFile(path, {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  if (outcome.kind !== 'hashed') throw new Error(`the file could not be hashed: ${outcome.kind}`);
  return { sha256: outcome.sha256, seconds: (performance.now() - startedAt) / 1000 };
}

function timeOpenssl(path: string) {
  const startedAt = performance.now();
  const { status, stdout } = spawnSync('openssl', ['dgst', '-sha256', '-r', path], { encoding: 'utf8' });
  if (status !== 0) return null;
  return { sha256: stdout.slice(0, 64), seconds: (performance.now() - startedAt) / 1000 };
}
