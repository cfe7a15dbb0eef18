/** Runs a load with wrk if installed, otherwise with autocannon, which cannot saturate the fastest routes. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { NotAvailable, WrongResponse } from '../measurement.ts';
import type { Load, LoadResult } from './load.ts';

type LoadGenerator = ChildProcessByStdio<Writable, Readable, null>;

export const hasWrk = spawnSync('wrk', ['--version']).error === undefined;

/** Throws `WrongResponse` if a response was not as expected, and `NotAvailable` if there was none. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const result = await (hasWrk ? runWrk(load) : runAutocannon(load));
  if (result.responses + result.wrong === 0) throw new NotAvailable(`no response within ${load.seconds} s`);
  if (result.wrong > 0) {
    const { wrong, responses, firstWrong } = result;
    throw new WrongResponse(`${load.url}: ${wrong} of ${responses} responses were wrong: ${firstWrong}`);
  }
  return result;
}

async function runWrk(load: Load): Promise<LoadResult> {
  const folder = makeTemporaryFolder();
  try {
    const file = join(folder, 'requests');
    writeFileSync(file, load.requests.map(({ token = '', body = '' }) => `${token}\t${body}\n`).join(''));
    const child = start('wrk', wrkWords(load, file));
    child.stdout.on('data', (part: Buffer) => part.toString().includes('enough\n') && child.kill('SIGINT'));
    return readWrkOutput(await outputOf(child));
  } finally {
    removeFolder(folder);
  }
}

function wrkWords(load: Load, requestFile: string): string[] {
  const { method, url, marker, firstNumber = 0, carry = '', responses = 0, seconds, connections } = load;
  const { host, pathname, origin } = new URL(url);
  const settings = { method, path: pathname, host, marker, firstNumber, carry, most: responses };
  const script = join(import.meta.dirname, 'wrk.lua');
  const effort = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '20s'];
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [...effort, '-s', script, origin, '--', requestFile, ...words];
}

function readWrkOutput(output: string): LoadResult {
  const numbers = /^result (.+)$/m.exec(output)?.[1]?.split(' ').map(Number);
  if (numbers?.length !== 7) throw new Error(`wrk printed no result: ${output}`);
  const [responses = 0, seconds = 0, p50Ms = 0, p99Ms = 0, p999Ms = 0, wrong = 0, broken = 0] = numbers;
  const firstWrong = /^first wrong (.+)$/m.exec(output)?.[1] ?? `${broken} broken connections or time-outs`;
  return { responses, seconds, p50Ms, p99Ms, p999Ms, wrong: wrong + broken, firstWrong };
}

async function runAutocannon(load: Load): Promise<LoadResult> {
  const program = join(import.meta.dirname, 'autocannon-process.ts');
  return JSON.parse(await outputOf(start(process.execPath, [program], JSON.stringify(load))));
}

function start(file: string, words: readonly string[], input = ''): LoadGenerator {
  const child = spawn(file, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  return child;
}

async function outputOf(child: LoadGenerator): Promise<string> {
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${output}`);
  return output;
}
