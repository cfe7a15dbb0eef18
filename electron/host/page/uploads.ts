/** Stores files that the user chose or dropped in the page, so that the main process gets a path, as in Electron. */
import { createWriteStream, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createFolder } from '../../platform/create-folder.ts';

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

  /**
   * Writes the request's body to `ID/NAME` or `ID/FOLDER/…/NAME` in the folder; returns whether the names are valid.
   */
  async receive(path: string, request: IncomingMessage): Promise<boolean> {
    const [id = '', ...names] = path.split('/').map(decodeURIComponent);
    if (!idPattern.test(id) || names.length === 0 || !names.every(isFileName)) return false;
    const file = join(this.folder, id, ...names);
    createFolder(dirname(file));
    await pipeline(request, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
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
