/** Records with strace, in order, what programs write to the files of a folder and when they wait for the disk. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment } from '../../harness/environment.ts';

/** A call in progress between two times, given as line numbers of the recording. */
type Call = { readonly path: string; readonly beganAt: number; readonly endedAt: number };

export type Change = Call &
  (
    | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer }
    | { readonly kind: 'truncate'; readonly size: number }
    | { readonly kind: 'create' | 'remove' }
  );

export type Recording = {
  /**
   * `syncedAt`: the end of the first sync that began after the change; for a name a sync of its folder, otherwise of
   * its file.
   */
  readonly changes: readonly (Change & { readonly syncedAt: number })[];
  readonly syncs: readonly Call[];
  /** The lines that were appended to the file with this name. */
  readonly lines: readonly { readonly text: string; readonly writtenAt: number }[];
  readonly endedAt: number;
};

/** Returns the reason why nothing can be recorded here, or `undefined` if it can. */
export function findRecordingProblem(): string | undefined {
  const { error, status } = spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']);
  if (error) return 'strace is not installed';
  return status === 0 ? undefined : 'strace may not trace processes here';
}

const calls = 'openat,pwrite64,write,ftruncate,fsync,fdatasync,unlink';

/**
 * Runs the programs concurrently, each with its command line, and records what they do in `folder` until all have
 * ended.
 */
export async function record(programs: readonly string[][], folder: string, linesFile: string): Promise<Recording> {
  const output = join(folder, 'strace');
  const script = `${programs.map((words) => `${words.map((word) => `'${word}'`).join(' ')} & `).join('')} wait`;
  const trace = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', '1000000', '-e', `trace=${calls}`, '-o', output];
  const child = spawn('strace', [...trace, 'sh', '-c', script], { env: childEnvironment({}), stdio: 'inherit' });
  await once(child, 'close');
  return parse(output, folder, linesFile);
}

async function parse(output: string, folder: string, linesFile: string): Promise<Recording> {
  const changes: Change[] = [];
  const syncs: Call[] = [];
  const lines: { text: string; writtenAt: number }[] = [];
  const unfinished = new Map<string, { text: string; beganAt: number }>();
  let time = 0;
  for await (const line of createInterface({ input: createReadStream(output) })) {
    time += 1;
    const [, process = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const begun = / <unfinished \.\.\.>$/.exec(rest);
    if (begun) {
      unfinished.set(process, { text: rest.slice(0, begun.index), beganAt: time });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const start = resumed ? unfinished.get(process) : undefined;
    const text = start ? start.text + (resumed?.[1] ?? '') : rest;
    const call = parseCall(text, { beganAt: start?.beganAt ?? time, endedAt: time });
    if (!call?.path.startsWith(folder)) continue;
    if (call.kind === 'sync') syncs.push(call);
    else if (call.kind !== 'write' || call.path !== linesFile) changes.push(call);
    else
      for (const each of call.data.toString().split('\n'))
        if (each) lines.push({ text: each, writtenAt: call.beganAt });
  }
  const syncedAt = (change: Change) => {
    const isOfName = change.kind === 'create' || change.kind === 'remove';
    const path = isOfName ? dirname(change.path) : change.path;
    const covering = syncs.filter((sync) => sync.path === path && sync.beganAt > change.endedAt);
    return Math.min(...covering.map(({ endedAt }) => endedAt));
  };
  return { changes: changes.map((change) => ({ ...change, syncedAt: syncedAt(change) })), syncs, lines, endedAt: time };
}

type Times = { readonly beganAt: number; readonly endedAt: number };

/** Parses a successful call, or returns `undefined` for any other. Strings and paths are in hexadecimal. */
function parseCall(text: string, times: Times): Change | (Call & { readonly kind: 'sync' }) | undefined {
  const [, name, parameters = '', result = ''] = /^(\w+)\((.*)\) += (-?\d+)/s.exec(text) ?? [];
  if (Number(result) < 0) return undefined;
  const path = decodeHex(/<([^>]*)>/.exec(parameters)?.[1] ?? /"([^"]*)"/.exec(parameters)?.[1] ?? '');
  const call = { path, ...times };
  switch (name) {
    case 'write':
    case 'pwrite64': {
      const data = Buffer.from((/"([^"]*)"/.exec(parameters)?.[1] ?? '').replaceAll('\\x', ''), 'hex');
      if (data.length !== Number(result)) throw new Error(`a write of ${result} bytes was recorded in part`);
      return { ...call, kind: 'write', data, offset: Number(/, (\d+)$/.exec(parameters)?.[1]) };
    }
    case 'ftruncate':
      return { ...call, kind: 'truncate', size: Number(/, (\d+)$/.exec(parameters)?.[1]) };
    case 'unlink':
      return { ...call, kind: 'remove' };
    case 'openat':
      // The first name in the parameters is the folder to which a path may be relative.
      return parameters.includes('O_CREAT') ? { ...call, kind: 'create', path: openedPath(parameters) } : undefined;
    case 'fsync':
    case 'fdatasync':
      return { ...call, kind: 'sync' };
    default:
      return undefined;
  }
}

function openedPath(parameters: string): string {
  return decodeHex(/"([^"]*)"/.exec(parameters)?.[1] ?? '');
}

function decodeHex(text: string): string {
  return text.replace(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
