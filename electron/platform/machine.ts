/** What the licensing client asks of the machine: its id, its name, its kind. */
import { hostname } from 'node:os';
import type { Machine } from '../licensing/platform.ts';
import { readMachineId } from './machine-id.ts';

export const systemMachine: Machine = {
  readMachineId,
  deviceName: hostname().replace(/\.(local|lan|home)$/i, '') || 'This computer',
  platform: `${process.platform} ${process.arch}`,
  sha256: async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))),
};
