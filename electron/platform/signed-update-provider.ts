/** Tells electron-updater what to download: only what was signed, whatever the feed itself says. */
import type { Provider, ResolvedUpdateFileInfo, UpdateInfo } from 'electron-updater';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import type { UpdateDownload } from '../licensing/platform.ts';
import { limitResponses } from './limit-responses.ts';

type ProviderClass = new (
  options: unknown,
  updater: unknown,
  runtimeOptions: ProviderRuntimeOptions,
) => Provider<UpdateInfo>;

/**
 * Answers electron-updater from the feed that was already read and verified, so that it does not read the feed again.
 */
export function createProvider(
  BaseProvider: typeof Provider<UpdateInfo>,
  { feed, version, files }: UpdateDownload,
  signal: AbortSignal,
): ProviderClass {
  const [first] = files;
  if (first === undefined) throw new Error('the feed offers no signed file for this kind of installation');
  return class SignedUpdateProvider extends BaseProvider {
    constructor(_options: unknown, _updater: unknown, runtimeOptions: ProviderRuntimeOptions) {
      super(runtimeOptions);
      limitResponses(runtimeOptions.executor, { bytes: Math.max(...files.map(({ bytes }) => bytes)), signal });
    }

    override async getLatestVersion(): Promise<UpdateInfo> {
      const infos = files.map(({ path, sha512, bytes, blockMapBytes }) => ({
        url: path,
        sha512,
        size: bytes,
        ...(blockMapBytes === null ? {} : { blockMapSize: blockMapBytes }),
      }));
      return { version, files: infos, path: first.path, sha512: first.sha512, releaseDate: '' };
    }

    override resolveFiles(info: UpdateInfo): ResolvedUpdateFileInfo[] {
      return info.files.map((file) => ({ url: new URL(`${feed}/${file.url}`), info: file }));
    }
  };
}
