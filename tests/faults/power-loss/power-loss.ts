/** The content of a disk after a power loss: everything that was synced before, and any part of the rest. */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Recording } from './recording.ts';

const sectorSize = 512;

/**
 * Writes the files into an empty folder as a power loss at a time of the recording leaves them. `before` are the files
 * at the start of the recording. Of the unsynced changes, a random `keptPercent` are kept, half of those writes only in
 * part, by sectors.
 */
export function losePower(
  { changes }: Recording,
  before: ReadonlyMap<string, Buffer>,
  { at, keptPercent, folder }: { at: number; keptPercent: number; folder: string },
): void {
  const files = new Map([...before].map(([path, data]) => [path, new DiskFile(data)]));
  for (const change of changes) {
    const isSynced = change.syncedAt < at;
    if (change.beganAt >= at || (!isSynced && randomInt(100) >= keptPercent)) continue;
    const file = files.get(change.path) ?? new DiskFile();
    files.set(change.path, file);
    const isWhole = isSynced || randomInt(2) === 0;
    switch (change.kind) {
      case 'write':
        file.write(change, () => isWhole || randomInt(2) === 0);
        break;
      case 'truncate':
        file.resize(change.size);
        break;
      default:
        file.exists = change.kind === 'create';
    }
  }
  for (const [path, file] of files) if (file.exists) writeFileSync(join(folder, basename(path)), file.data);
}

class DiskFile {
  exists: boolean;
  #bytes = Buffer.alloc(1024 * 1024);
  #size = 0;

  /** Without data, the file does not exist yet. */
  constructor(data?: Buffer) {
    this.exists = data !== undefined;
    if (data) this.write({ offset: 0, data }, () => true);
  }

  get data(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  resize(size: number): void {
    if (size > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * size);
    // Truncated bytes are zero if the file grows again.
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  /** Writes each sector for which `keeps` returns true. */
  write({ offset, data }: { offset: number; data: Buffer }, keeps: () => boolean): void {
    const end = offset + data.length;
    for (let from = offset, to: number; from < end; from = to) {
      to = Math.min(end, from - (from % sectorSize) + sectorSize);
      if (!keeps()) continue;
      if (to > this.#size) this.resize(to);
      data.copy(this.#bytes, from, from - offset, to - offset);
    }
  }
}
