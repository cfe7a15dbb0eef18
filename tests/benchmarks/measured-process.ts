/** The resource usage of a running program: the CPU time and memory of its process and all descendants. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

type ProcessState = { readonly pid: number; readonly parent: number; readonly cpuSeconds: number };

/** Linux counts CPU time in ticks of 10 ms (`getconf CLK_TCK`) on every architecture that Node supports. */
const ticksPerSecond = 100;

/** Returns the user and kernel CPU time of a process with all its threads and descendants, in seconds. */
export function readCpuSeconds(pid: number): number {
  const processes = listProcesses();
  const family = new Set([pid]);
  // Parents are older than their children, and therefore come first.
  for (const { pid: child, parent } of processes) if (family.has(parent)) family.add(child);
  return processes.filter((state) => family.has(state.pid)).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** Waits until the process is idle for a moment, for at most about a minute. */
export async function waitUntilIdle(pid: number): Promise<void> {
  for (let tries = 0, last = Number.NaN; tries < 600; tries++) {
    const now = readCpuSeconds(pid);
    if (now - last < 2 / ticksPerSecond) return;
    last = now;
    await sleep(100);
  }
}

/** Returns the current and the peak resident memory of one process. Linux only. */
export function readMemoryMiB(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { now: kibibytes('VmRSS') / 1024, peak: kibibytes('VmHWM') / 1024 };
}

/** Returns the busy and total ticks of all cores since boot, or `undefined` if this is not Linux. */
export function readCoreTicks(): { readonly busy: number; readonly total: number } | undefined {
  if (process.platform !== 'linux') return undefined;
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '';
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const total = ticks.reduce((sum, part) => sum + part, 0);
  const [, , , idle = 0, waiting = 0] = ticks;
  return { busy: total - idle - waiting, total };
}

function listProcesses(): ProcessState[] {
  if (process.platform !== 'linux') return listWithPs();
  const states = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readState(Number(name)) : []));
  return states.sort((a, b) => a.pid - b.pid);
}

function readState(pid: number): ProcessState[] {
  try {
    // The name of the program may contain spaces and parentheses; the fields after it are numbers.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [parent, user, kernel] = [fields[1], fields[11], fields[12]].map(Number);
    return [{ pid, parent: parent ?? 0, cpuSeconds: ((user ?? 0) + (kernel ?? 0)) / ticksPerSecond }];
  } catch {
    // The process has ended.
    return [];
  }
}

/** On macOS, `time` is given in minutes, seconds and hundredths. */
function listWithPs(): ProcessState[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,time='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parent, time = ''] = line.trim().split(/\s+/);
    const cpuSeconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    return { pid: Number(pid), parent: Number(parent), cpuSeconds };
  });
}
