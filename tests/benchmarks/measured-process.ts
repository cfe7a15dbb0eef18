/** What a program costs while it runs: the processor time and the memory of its process and all that it has started. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

type ProcessState = { readonly pid: number; readonly parent: number; readonly cpuSeconds: number };

/** Linux counts processor time in ticks of 10 ms (`getconf CLK_TCK`), on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** Seconds of processor time, of the user's and of the kernel's, of a process with all its threads and descendants. */
export function readCpuSeconds(pid: number): number {
  const processes = listProcesses();
  const family = new Set([pid]);
  // Parents are older than their children, and so come first.
  for (const { pid: child, parent } of processes) if (family.has(parent)) family.add(child);
  return processes.filter((state) => family.has(state.pid)).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** Waits until the process has done nothing for a moment, or is busy for so long that it does so by itself. */
export async function waitUntilIdle(pid: number): Promise<void> {
  for (let tries = 0, last = Number.NaN; tries < 600; tries++) {
    const now = readCpuSeconds(pid);
    if (now - last < 2 / ticksPerSecond) return;
    last = now;
    await sleep(100);
  }
}

/** Resident memory of one process, `peak` being the most that it ever had. Linux only. */
export function readMemoryMiB(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { now: kibibytes('VmRSS') / 1024, peak: kibibytes('VmHWM') / 1024 };
}

/** Busy and total ticks of all cores since the machine was started; `undefined` where this is not Linux. */
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
    // It has ended.
    return [];
  }
}

/** On macOS `time` is minutes, seconds and hundredths. */
function listWithPs(): ProcessState[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,time='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parent, time = ''] = line.trim().split(/\s+/);
    const cpuSeconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    return { pid: Number(pid), parent: Number(parent), cpuSeconds };
  });
}
