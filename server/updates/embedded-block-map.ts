/** The block map at the end of an AppImage, which tells `electron-updater` which parts of the file have changed. */
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { z } from 'zod';

/** Size in bytes of the big-endian length that follows the block map. */
const lengthBytes = 4;
const maxBytes = 16 * 1024 * 1024;
const maxInflatedBytes = 64 * 1024 * 1024;

const blockMap = z.object({ version: z.string(), files: z.array(z.unknown()) });

/**
 * Returns the length of the block map; `undefined` for a file without one. Rejects with the system
 * error if the file cannot be read.
 */
export async function findEmbeddedBlockMap(path: string): Promise<number | undefined> {
  await using handle = await open(path);
  const { size } = await handle.stat();
  const read = async (length: number, fromEnd: number): Promise<Buffer> => {
    const buffer = Buffer.alloc(length);
    await handle.read(buffer, 0, length, size - fromEnd);
    return buffer;
  };
  if (size <= lengthBytes) return undefined;
  const length = (await read(lengthBytes, lengthBytes)).readUInt32BE();
  if (length === 0 || length > maxBytes || length + lengthBytes > size) return undefined;
  return (await isBlockMap(await read(length, length + lengthBytes))) ? length : undefined;
}

async function isBlockMap(deflated: Buffer): Promise<boolean> {
  try {
    const json = await promisify(inflateRaw)(deflated, { maxOutputLength: maxInflatedBytes });
    return blockMap.safeParse(JSON.parse(json.toString('utf8'))).success;
  } catch {
    return false;
  }
}
