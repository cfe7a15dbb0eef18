/** One secret on the disk: sealed, written whole or not at all, and never written over one that could not be read. */
import { readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { StoreRead } from '../licensing/platform.ts';
import { keepAside } from './keep-aside.ts';
import type { Seal } from './seal.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

const envelope = z.object({ version: z.literal(1), seal: z.enum(['keyring', 'file']), data: z.base64() });

/** Reads the secret with whichever of the seals closed it. */
export async function readSecretFile(path: string, seals: readonly Seal[]): Promise<StoreRead> {
  try {
    const { seal: kind, data } = envelope.parse(JSON.parse(await readFile(path, 'utf8')));
    const seal = seals.find((each) => each.kind === kind);
    if (seal === undefined)
      return { kind: 'unreadable', message: `It was sealed by the ${kind}, which is not there now.` };
    return { kind: 'value', value: await seal.open(Buffer.from(data, 'base64')) };
  } catch (error) {
    if (isMissing(error)) return { kind: 'absent' };
    return { kind: 'unreadable', message: 'The file is damaged or was sealed under another key.' };
  }
}

/** Writes the secret; it is on the disk once the promise is fulfilled. */
export async function writeSecretFile(path: string, value: string, options: WriteOptions): Promise<void> {
  const before = await readSecretFile(path, options.seals);
  if (before.kind === 'unreadable') await keepAside(path, options.now());
  const data = Buffer.from(await options.seal.close(value)).toString('base64');
  await writeDurably(path, JSON.stringify({ version: 1, seal: options.seal.kind, data }));
}

export type WriteOptions = { readonly seal: Seal; readonly seals: readonly Seal[]; readonly now: () => number };

/** Removes the secret; one that is not there is removed already. */
export async function removeSecretFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await syncFolder(dirname(path));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
