/**
 * `electron-updater` itself against our server: it reads the channel files, finds each file, and downloads parts of it.
 */
import { createWriteStream, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { madeUpContent, writeReleaseFile } from '../../harness/releases.ts';

type UpdateInfo = {
  version: string;
  path: string;
  sha512: string;
  releaseDate: string;
  stagingPercentage?: number;
  files: { url: string; sha512: string; size: number; blockMapSize?: number }[];
};
type ResolvedFile = { url: URL; info: UpdateInfo['files'][number] };

// The package's main module requires Electron; these parts do not.
const requireUpdater = createRequire(createRequire(import.meta.url).resolve('electron-updater'));
const { parseUpdateInfo, resolveFiles, findFile } = requireUpdater('./providers/Provider') as {
  parseUpdateInfo(text: string, channelFile: string, url: URL): UpdateInfo;
  resolveFiles(info: UpdateInfo, base: URL): ResolvedFile[];
  findFile(files: ResolvedFile[], extension: string, not?: string[]): ResolvedFile;
};
const { executeTasksUsingMultipleRangeRequests } = requireUpdater(
  './differentialDownloader/multipleRangeDownloader',
) as {
  executeTasksUsingMultipleRangeRequests(
    downloader: object,
    tasks: object[],
    out: NodeJS.WritableStream,
    oldFile: number,
    reject: (error: Error) => void,
  ): (offset: number) => void;
};

const server = sharedHttpServer();
const content = madeUpContent(2_000_000);
const write = (name: string, bytes: string | Buffer = name) =>
  writeReleaseFile(server.dataFolder, '1.2.3', name, bytes);

async function readChannel(name: string): Promise<UpdateInfo> {
  const url = new URL(`/updates/${name}`, server.url);
  return parseUpdateInfo(await (await fetch(url)).text(), name, url);
}

const resolve = (info: UpdateInfo) => resolveFiles(info, new URL('/updates/', server.url));

describe('electron-updater', () => {
  it('reads what a channel offers, and finds the file of each kind at its URL', async () => {
    await server.admin(
      ...['installer', 'publish', '1.2.3', '--feed', '--percent', '40'],
      ...['--windows-x64', write('My App Ü (64-bit) 1.2.3.exe', content)],
      ...['--macos-arm64', write('App-arm64.dmg'), '--macos-zip', write('App-arm64.zip')],
      ...['--linux-amd64', write('App.AppImage'), '--linux-deb', write('app_1.2.3_amd64.deb')],
    );
    const info = await readChannel('latest.yml');
    expect(info).toMatchObject({ version: '1.2.3', stagingPercentage: 40, files: [{ size: content.length }] });
    expect(info.path).toBe(info.files[0]?.url);
    expect(info.sha512).toBe(info.files[0]?.sha512);
    expect(new Date(info.releaseDate).getTime()).toBeGreaterThan(Date.now() - 60_000);
    const exe = findFile(resolve(info), 'exe');
    expect(Buffer.from(await (await fetch(exe.url)).arrayBuffer()).equals(content)).toBe(true);
    const mac = resolve(await readChannel('latest-mac.yml'));
    expect(await (await fetch(findFile(mac, 'zip', ['pkg', 'dmg']).url)).text()).toBe('App-arm64.zip');
    const linux = resolve(await readChannel('latest-linux.yml'));
    expect(await (await fetch(findFile(linux, 'AppImage', ['rpm', 'deb', 'pacman']).url)).text()).toBe('App.AppImage');
    expect(await (await fetch(findFile(linux, 'deb', ['AppImage', 'rpm', 'pacman']).url)).text()).toBe(
      'app_1.2.3_amd64.deb',
    );
  });

  it.each(['1.2.4-beta.1', '1.2.4-1', '1.2.4-0e5', '1.2.4'])('reads the version %s as text', async (version) => {
    const file = writeReleaseFile(server.dataFolder, version, 'App.exe', version);
    await server.admin('installer', 'publish', version, '--feed', '--windows-x64', file);
    expect((await readChannel('latest.yml')).version).toBe(version);
    await server.admin('installer', 'withdraw', version);
  });

  it('assembles a file from an old one and hundreds of ranges in one response', async () => {
    const [old, made] = [join(server.dataFolder, 'old'), join(server.dataFolder, 'made')];
    writeFileSync(old, content);
    const { url } = findFile(resolve(await readChannel('latest.yml')), 'exe');
    // Every other part is downloaded (1), the rest is copied from the old file (0).
    const tasks = Array.from({ length: 400 }, (_, index) => ({
      kind: index % 2,
      start: index * 5_000,
      end: (index + 1) * 5_000,
    }));
    let requests = 0;
    const downloader = {
      options: {},
      fileMetadataBuffer: null,
      createRequestOptions: () => ({ headers: {} as Record<string, string> }),
      httpExecutor: {
        createRequest: ({ headers }: { headers: Record<string, string> }, answered: (response: unknown) => void) => {
          requests += 1;
          return get(url, { headers }, answered);
        },
        addErrorAndTimeoutHandlers: () => undefined,
      },
    };
    await new Promise<void>((done, reject) => {
      const out = createWriteStream(made).on('close', () => done());
      executeTasksUsingMultipleRangeRequests(downloader, tasks, out, openSync(old, 'r'), reject)(0);
    });
    expect(requests).toBe(1);
    expect(readFileSync(made).equals(content)).toBe(true);
  });
});
