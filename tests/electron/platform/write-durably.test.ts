/** A write is on the disk before it is called done: the file is synced before it gets its name, the folder after. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeDurably } from '../../../electron/platform/write-durably.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const hasStrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0;
const moduleUrl = new URL('../../../electron/platform/write-durably.ts', import.meta.url).href;

describe('a durable write', () => {
  it('replaces the content as a whole', async () => {
    const path = join(temporaryFolder(), 'file');
    await writeDurably(path, 'a longer first content');
    await writeDurably(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('second');
  });

  it.skipIf(!hasStrace)('syncs the file, renames it, then syncs the folder', () => {
    const folder = temporaryFolder();
    const trace = join(folder, 'trace');
    const script = `import { writeDurably } from ${JSON.stringify(moduleUrl)};
      await writeDurably(${JSON.stringify(join(folder, 'file'))}, 'content');`;
    const watched = ['-f', '-o', trace, '-e', 'trace=fsync,rename,renameat,renameat2'];
    spawnSync('strace', [...watched, process.execPath, '--input-type=module', '-e', script]);
    const calls = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => /\b(fsync|rename)\w*\(/.exec(line)?.[1] ?? []);
    expect(calls).toEqual(['fsync', 'rename', 'fsync']);
  });
});
