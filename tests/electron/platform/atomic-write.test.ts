/** Atomic writes are durable: the file is synced before it is renamed, and its folder afterwards. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAtomically } from '../../../electron/platform/atomic-write.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const hasStrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0;
const moduleUrl = new URL('../../../electron/platform/atomic-write.ts', import.meta.url).href;

describe('an atomic write', () => {
  it('replaces the content', async () => {
    const path = join(temporaryFolder(), 'file');
    await writeAtomically(path, 'a longer first content');
    await writeAtomically(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('second');
  });

  it.skipIf(!hasStrace)('syncs the file, renames it, then syncs the folder', () => {
    const folder = temporaryFolder();
    const trace = join(folder, 'trace');
    const script = `import { writeAtomically } from ${JSON.stringify(moduleUrl)};
      await writeAtomically(${JSON.stringify(join(folder, 'file'))}, 'content');`;
    const watched = ['-f', '-o', trace, '-e', 'trace=fsync,rename,renameat,renameat2'];
    spawnSync('strace', [...watched, process.execPath, '--input-type=module', '-e', script]);
    const calls = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => /\b(fsync|rename)\w*\(/.exec(line)?.[1] ?? []);
    expect(calls).toEqual(['fsync', 'rename', 'fsync']);
  });
});
