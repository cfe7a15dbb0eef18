/** Listing and reading the files below folders: links, pipes, and what cannot be read. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile, walk } from '../../../electron/platform/walk-files.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const { signal } = new AbortController();

async function list(paths: readonly string[]) {
  const found = [];
  for await (const file of walk(paths, signal)) found.push(file);
  return found;
}

function makeTree(): string {
  const root = temporaryFolder();
  mkdirSync(join(root, 'a/b/c'), { recursive: true });
  for (const name of ['top.txt', 'a/one.txt', 'a/b/c/deep.txt']) writeFileSync(join(root, name), name);
  return root;
}

describe('the files below a folder', () => {
  it('are all listed, and a file is listed as itself', async () => {
    const root = makeTree();
    const names = (await list([root])).map(({ path }) => relative(root, path)).sort();
    expect(names).toEqual(['a/b/c/deep.txt', 'a/one.txt', 'top.txt']);
    expect(await list([join(root, 'top.txt')])).toEqual([{ kind: 'file', path: join(root, 'top.txt') }]);
  });

  it('do not include the targets of links below it, which may be the folder itself', async () => {
    const root = makeTree();
    symlinkSync(root, join(root, 'a/again'));
    symlinkSync('/etc/passwd', join(root, 'passwd'));
    expect(await list([root])).toHaveLength(3);
  });

  it('are listed if the path itself is a link', async () => {
    const root = makeTree();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(root, link);
    expect(await list([link])).toHaveLength(3);
  });

  it.skipIf(process.platform !== 'linux')(
    'include those whose names are not UTF-8, and their content can be read',
    async () => {
      const root = temporaryFolder();
      const bytes = Buffer.from([0x61, 0xff]);
      const folder = Buffer.concat([Buffer.from(`${root}/`), bytes]);
      mkdirSync(folder);
      writeFileSync(Buffer.concat([folder, Buffer.from('/'), bytes]), 'some text');
      const [file, ...others] = await list([root]);
      expect(file).toMatchObject({ kind: 'file', path: `${root}/a\uFFFD/a\uFFFD` });
      expect(others).toEqual([]);
      let text = '';
      const onBytes = (read: Uint8Array) => {
        text += Buffer.from(read);
        return true;
      };
      expect(await readFile(file?.pathBytes ?? '', { signal, onBytes })).toEqual({ kind: 'read' });
      expect(text).toBe('some text');
    },
  );

  it('include a report of each path that cannot be read', async () => {
    const missing = expect.objectContaining({ code: 'ENOENT' });
    expect(await list(['/does/not/exist'])).toEqual([{ kind: 'unreadable', path: '/does/not/exist', error: missing }]);
    const pipe = createPipe();
    expect(await list([pipe])).toEqual([{ kind: 'unreadable', path: pipe }]);
  });

  it('are listed no further once the signal is aborted', async () => {
    const controller = new AbortController();
    const found = [];
    for await (const file of walk([makeTree()], controller.signal)) {
      found.push(file);
      controller.abort();
    }
    expect(found).toHaveLength(1);
  });
});

describe('a file', () => {
  it('is read in chunks, until no more are wanted', async () => {
    const path = join(temporaryFolder(), 'big');
    writeFileSync(path, Buffer.alloc(600 * 1024, 'x'));
    const sizes: number[] = [];
    const read = (wanted: number) => readFile(path, { signal, onBytes: (bytes) => sizes.push(bytes.length) < wanted });
    expect(await read(100)).toEqual({ kind: 'read' });
    expect(sizes).toEqual([256 * 1024, 256 * 1024, 88 * 1024]);
    sizes.length = 0;
    expect(await read(1)).toEqual({ kind: 'ended' });
    expect(sizes).toHaveLength(1);
  });

  it.each([
    ['that is a pipe', createPipe, {}],
    ['that is a folder', temporaryFolder, {}],
    ['that is gone', () => '/does/not/exist', { error: expect.objectContaining({ code: 'ENOENT' }) }],
  ])('%s cannot be read, with the reason if the system gives one', async (_, path, why) => {
    expect(await readFile(path(), { signal, onBytes: () => true })).toEqual({ kind: 'unreadable', ...why });
  });
});
