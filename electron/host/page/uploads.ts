/** Stores files that the user chose or dropped in the page, so that the main process gets a path, as it does in Electron. */
import { createWriteStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const idPattern = /^[0-9a-f-]{36}$/;

export class Uploads {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates a temporary folder that only its owner can read. */
  static async open(): Promise<Uploads> {
    return new Uploads(await mkdtemp(join(tmpdir(), 'latchkey-files-')));
  }

  /** Writes the request's body to `ID/NAME` in the folder; returns whether that is a valid file name. */
  async receive(path: string, request: IncomingMessage): Promise<boolean> {
    const [id = '', name = '', ...rest] = path.split('/').map(decodeURIComponent);
    if (!idPattern.test(id) || !isFileName(name) || rest.length > 0) return false;
    await mkdir(join(this.folder, id), { mode: 0o700 });
    await pipeline(request, createWriteStream(join(this.folder, id, name), { mode: 0o600, flags: 'wx' }));
    return true;
  }

  /** Removes the folder synchronously, since the process may be about to exit. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && basename(name) === name && !/[\\\0]/.test(name);
}
