/** The machine itself: its clocks, randomness, id and name, and when it wakes up. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { net, powerMonitor } from 'electron';
import nodeMachineId from 'node-machine-id';
import type { Clock, Machine, Power, Random } from '../licensing/platform.ts';

/** Node fires a timer with a longer delay immediately. */
const maxTimerDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), maxTimerDelayMs));
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
};

export const systemMachine: Machine = {
  readMachineId,
  deviceName: hostname().replace(/\.(local|lan|home)$/i, ''),
  platform: `${process.platform} ${process.arch}`,
};

async function readMachineId(): Promise<string | null> {
  try {
    const id = await (process.platform === 'linux' ? readLinuxMachineId() : nodeMachineId.machineId(true));
    return validMachineId(id, process.platform);
  } catch {
    return null;
  }
}

/** The same id that node-machine-id reads, which starts a shell for it: half of the time in which the client starts. */
async function readLinuxMachineId(): Promise<string> {
  const files = ['/var/lib/dbus/machine-id', '/etc/machine-id'].map((path) => readFile(path, 'utf8').catch(() => ''));
  const [firstLine = ''] = (await Promise.all(files)).join('').split('\n');
  return firstLine;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const machineIdPatterns: Readonly<Partial<Record<NodeJS.Platform, RegExp>>> = {
  linux: /^[0-9a-f]{32}$/,
  darwin: uuidPattern,
  win32: uuidPattern,
};

/**
 * The normalized id, or `null` if it does not have the platform's format: node-machine-id falls back to a host name or
 * a hash that is the same on every machine. An id of one repeated digit is invalid, too.
 */
export function validMachineId(text: string, platform: NodeJS.Platform): string | null {
  const id = text.trim().toLowerCase();
  const digits = new Set(id.replaceAll('-', ''));
  return machineIdPatterns[platform]?.test(id) && digits.size > 1 ? id : null;
}

const onlinePollMs = 5_000;

/** Electron's main process has no event for a network that is back, so it is polled. */
export const systemPower: Power = {
  onResume: (listener) => {
    let online = net.isOnline();
    const poll = setInterval(() => {
      const wasOnline = online;
      online = net.isOnline();
      if (online && !wasOnline) listener();
    }, onlinePollMs);
    poll.unref();
    powerMonitor.on('resume', listener);
    return () => {
      clearInterval(poll);
      powerMonitor.off('resume', listener);
    };
  },
};
