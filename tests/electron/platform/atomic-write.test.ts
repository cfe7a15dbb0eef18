/** Atomic writes are durable: the file is synced before it is renamed, and its folder afterwards. */
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retryWhileHeld, writeAtomically } from '../../../electron/platform/atomic-write.ts';
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

  it('uses no predictable name: neither a link nor a file that somebody else put there is written to', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'report');
    const victim = join(temporaryFolder(), 'victim');
    symlinkSync(victim, `${path}.new`);
    writeFileSync(victim, 'untouched', { mode: 0o644 });
    await writeAtomically(path, 'secret');
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(readFileSync(path, 'utf8')).toBe('secret');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['report', 'report.new']);
  });

  it('does not replace anything but a regular file, nor the target of a link to it', async () => {
    const folder = temporaryFolder();
    const [pipe, link] = [join(folder, 'pipe'), join(folder, 'link')];
    spawnSync('mkfifo', [pipe]);
    symlinkSync(pipe, link);
    for (const path of [pipe, link])
      await expect(writeAtomically(path, 'content')).rejects.toThrow('not a regular file');
    expect(statSync(pipe).isFIFO()).toBe(true);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('leaves nothing beside the file if it fails', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'taken'));
    await expect(writeAtomically(join(folder, 'taken'), 'content')).rejects.toThrow();
    await expect(writeAtomically(join(folder, 'missing', 'file'), 'content')).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  it.skipIf(!hasStrace).each([
    ['is kept on a file system that cannot sync folders', 'EINVAL', 0],
    ['fails where its folder could not be synced', 'EIO', 1],
  ])('%s', (_, error, status) => {
    const path = join(temporaryFolder(), 'file');
    const script = `import { writeAtomically } from ${JSON.stringify(moduleUrl)}; await writeAtomically(${JSON.stringify(path)}, 'content');`;
    const inject = `inject=fsync:error=${error}:when=2`;
    const node = [process.execPath, '--input-type=module', '--eval', script];
    // strace counts the calls of each thread separately.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    const strace = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync', '-e', inject];
    const run = spawnSync('strace', [...strace, ...node], { env });
    expect(run.status, String(run.stderr)).toBe(status);
    expect(readFileSync(path, 'utf8')).toBe('content');
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

describe('a file that another program holds open', () => {
  const held = (code: string) => Object.assign(new Error(code), { code });

  /** Runs a rename whose first `failures` attempts fail. */
  async function change(failures: number, code: string, platform: NodeJS.Platform) {
    let tries = 0;
    let waitedMs = 0;
    const rename = async () => {
      if (++tries <= failures) throw held(code);
    };
    const wait = async (ms: number) => {
      waitedMs += ms;
    };
    const error = await retryWhileHeld(rename, { wait, platform }).catch((reason: Error) => reason);
    return { code: error && 'code' in error ? error.code : null, tries, waitedMs };
  }

  it.each(['EPERM', 'EACCES', 'EBUSY'])('is changed on Windows once it is free (%s)', async (code) => {
    expect(await change(5, code, 'win32')).toEqual({ code: null, tries: 6, waitedMs: 380 });
  });

  it('is given up after about two seconds', async () => {
    expect(await change(99, 'EPERM', 'win32')).toEqual({ code: 'EPERM', tries: 9, waitedMs: 1980 });
  });

  it.each([
    { code: 'ENOSPC', platform: 'win32' },
    { code: 'EACCES', platform: 'linux' },
  ] as const)('is not retried on $platform after $code', async ({ code, platform }) => {
    expect(await change(1, code, platform)).toEqual({ code, tries: 1, waitedMs: 0 });
  });
});
