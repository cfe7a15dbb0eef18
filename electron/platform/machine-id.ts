/** The machine's own id, accepted only in the platform's shape: what stands in for a missing one is the same everywhere. */
import nodeMachineId from 'node-machine-id';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const shapes: Readonly<Partial<Record<NodeJS.Platform, RegExp>>> = {
  linux: /^[0-9a-f]{32}$/,
  darwin: uuid,
  win32: uuid,
};

/** The id, or `null` where the machine has none of its own. */
export async function readMachineId(): Promise<string | null> {
  try {
    return acceptMachineId(nodeMachineId.machineIdSync(true), process.platform);
  } catch {
    return null;
  }
}

/** Refuses an empty id, `uninitialized`, a host name, and an id of one digit repeated. */
export function acceptMachineId(text: string, platform: NodeJS.Platform): string | null {
  const id = text.trim().toLowerCase();
  const digits = new Set(id.replaceAll('-', ''));
  return shapes[platform]?.test(id) && digits.size > 1 ? id : null;
}
