/** Files that a person chose or dropped in the page, brought to disk so that main gets a path, as it does in Electron. */
import { createWriteStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export type Uploads = {
  readonly folder: string;
  /** Writes the request's body as `ID/NAME` and tells the path, or `null` where that is no name. */
  readonly receive: (path: string, request: IncomingMessage) => Promise<string | null>;
  /** At once, since the process may be about to end. */
  readonly removeNow: () => void;
};

const idPattern = /^[0-9a-f-]{36}$/;

/** Makes the folder, its owner's alone. */
export async function openUploads(): Promise<Uploads> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-files-'));
  return {
    folder,
    receive: async (path, request) => {
      const [id = '', name = '', ...rest] = path.split('/').map(decodeURIComponent);
      if (!idPattern.test(id) || !isFileName(name) || rest.length > 0) return null;
      await mkdir(join(folder, id), { mode: 0o700 });
      await pipeline(request, createWriteStream(join(folder, id, name), { mode: 0o600, flags: 'wx' }));
      return join(folder, id, name);
    },
    removeNow: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && basename(name) === name && !/[\\\0]/.test(name);
}
