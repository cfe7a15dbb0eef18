/** The machine itself: its clocks, randomness, id and name, and sleep and wake events. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname, release, uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import { net, powerMonitor } from 'electron';
import nodeMachineId from 'node-machine-id';
import type { BootTime, Clock, Machine, Power, Random, StoreRead } from '../licensing/platform.ts';
import { isNotFound } from './atomic-write.ts';
import { readBattery } from './battery.ts';

/** Node fires a timer with a longer delay immediately. */
const maxTimerDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: readBootTime,
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), maxTimerDelayMs));
    return () => clearTimeout(timer);
  },
};

/**
 * Linux has an id for each boot; on other systems only the wall clock distinguishes a restart of the app from one of
 * the machine.
 */
const bootId = process.platform === 'linux' ? readBootId() : null;

function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/** `os.uptime` includes sleep on Linux, macOS and Windows. It throws if a sandbox hides it. */
function readBootTime(): BootTime | null {
  try {
    return { id: bootId, ms: uptime() * 1000 };
  } catch {
    return null;
  }
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
};

export const systemMachine: Machine = {
  readMachineId,
  deviceName: hostname().replace(/\.(local|lan|home)$/i, ''),
  platform: `${process.platform} ${process.arch}`,
  versions: {
    system: release(),
    node: process.versions.node,
    ...(process.versions.electron ? { electron: process.versions.electron } : {}),
  },
};

async function readMachineId(): Promise<StoreRead> {
  return process.platform === 'linux' ? readLinuxMachineId() : readWithPackage();
}

/**
 * For Windows and macOS. The asynchronous function of node-machine-id throws an uncatchable error if the system's
 * command prints something else.
 */
function readWithPackage(): StoreRead {
  try {
    const id = validMachineId(nodeMachineId.machineIdSync(true), process.platform);
    return id === null ? { kind: 'absent' } : { kind: 'value', value: id };
  } catch {
    return { kind: 'unreadable', message: 'The command that prints the machine id failed.' };
  }
}

/** The system's id or, if there is no such file, that of D-Bus, which may be outdated in a copied system. */
const linuxMachineIdFiles = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/**
 * Returns the id in the first file that has one. A file that exists but cannot be read ends the search, because the
 * next file may have another id. node-machine-id would start a shell, and joins both files if one has no line break.
 */
export async function readLinuxMachineId(paths: readonly string[] = linuxMachineIdFiles): Promise<StoreRead> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch((error: unknown) => (isNotFound(error) ? '' : null));
    // systemd writes this during the first boot, until it has chosen the id.
    if (text === null || text.trim() === 'uninitialized') {
      return { kind: 'unreadable', message: `${path} cannot be read now.` };
    }
    const id = validMachineId(text, 'linux');
    if (id !== null) return { kind: 'value', value: id };
  }
  return { kind: 'absent' };
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const machineIdPatterns: Readonly<Partial<Record<NodeJS.Platform, RegExp>>> = {
  linux: /^[0-9a-f]{32}$/,
  darwin: uuidPattern,
  win32: uuidPattern,
};

/**
 * Returns the normalized id, or `null` if it does not have the platform's format: node-machine-id may return a hash
 * that is the same on every machine. An id of one repeated digit is invalid too.
 */
export function validMachineId(text: string, platform: NodeJS.Platform): string | null {
  const id = text.trim().toLowerCase();
  const digits = new Set(id.replaceAll('-', ''));
  return machineIdPatterns[platform]?.test(id) && digits.size > 1 ? id : null;
}

const onlinePollMs = 5_000;

/** Electron's main process has no event for a restored network, so it is polled. */
export const systemPower: Power = {
  readBattery,
  onSuspend: (listener) => {
    powerMonitor.on('suspend', listener);
    return () => void powerMonitor.off('suspend', listener);
  },
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
