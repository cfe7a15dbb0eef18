/**
 * How this installation gets new versions; if it can, it installs them with electron-updater, which is loaded on first
 * use.
 */
import { createHash } from 'node:crypto';
import { constants, copyFileSync, createReadStream, linkSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { app } from 'electron';
import type { AppUpdater as ElectronUpdater, ProgressInfo } from 'electron-updater';
import { getAppCacheDir } from 'electron-updater/out/AppAdapter.js';
import type { UpdateChannel } from '../../shared/api/update-feed.ts';
import type { InstallationKind } from '../../shared/ipc/updates.ts';
import type { UpdateManifestFile } from '../../shared/update-manifest.ts';
import type { AppUpdater, Log } from '../licensing/platform.ts';
import { syncFolder, writeAtomically } from './atomic-write.ts';
import { createFolder } from './create-folder.ts';
import { createProvider } from './signed-update-provider.ts';

export type InstallationFacts = {
  readonly system: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  /** True if packaged and run by Electron itself. */
  readonly isPackaged: boolean;
};

/** On Linux only an AppImage updates itself; other installations are updated by their package manager. */
export function findInstallation({ system, environment, isPackaged }: InstallationFacts): InstallationKind {
  if (!isPackaged) return 'not-packaged';
  if (environment.PORTABLE_EXECUTABLE_FILE) return 'portable';
  if (system !== 'linux') return 'self';
  if (environment.SNAP) return 'snap';
  if (environment.FLATPAK_ID) return 'flatpak';
  return environment.APPIMAGE ? 'self' : 'system-package';
}

const systems: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: 'windows', darwin: 'macos' };
const architectures: Readonly<Record<string, string>> = { linux_x64: 'linux_amd64' };

/** Returns the platform as in manifests: `windows_x64`, `macos_arm64`, `linux_amd64`, `linux_arm64`. */
export function updatePlatform(system: NodeJS.Platform, architecture: string): string {
  const name = `${systems[system] ?? system}_${architecture}`;
  return architectures[name] ?? name;
}

export function updateChannel(system: NodeJS.Platform, architecture: string): UpdateChannel {
  if (system === 'win32') return 'latest.yml';
  if (system === 'darwin') return 'latest-mac.yml';
  return architecture === 'arm64' ? 'latest-linux-arm64.yml' : 'latest-linux.yml';
}

const endings: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: '.exe', darwin: '.zip' };

/** Returns the files with which an installation can update itself: never a Debian package for an AppImage. */
export function filesOfKind<File extends { readonly name: string }>(
  files: readonly File[],
  system: NodeJS.Platform,
): File[] {
  const ending = endings[system] ?? '.appimage';
  return files.filter(({ name }) => name.toLowerCase().endsWith(ending));
}

/** Throws unless the file on disk is one that the publisher signed, whatever was claimed during the download. */
export async function requireSignedBytes(path: string, files: readonly UpdateManifestFile[]): Promise<void> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  const sha512 = hash.digest('base64');
  if (files.some((file) => file.sha512 === sha512)) return;
  // The code is that of electron-updater, which compares with what it was told.
  throw Object.assign(new Error('the downloaded file is not the signed one'), { code: 'ERR_CHECKSUM_MISMATCH' });
}

/** Throws unless the signed file is safely on disk: only then may the one that it replaces be removed. */
async function requireStoredFile(path: string, files: readonly UpdateManifestFile[]): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await requireSignedBytes(path, files);
  await syncFolder(dirname(path));
}

/**
 * Keeps a copy, since electron-updater deletes the AppImage before moving the new one there, which may fail, e.g.
 * because the disk is full.
 */
function keepFile(path: string): { putBack(): void; remove(): void } {
  const kept = `${path}.previous`;
  const remove = () => rmSync(kept, { force: true });
  remove();
  try {
    linkSync(path, kept);
  } catch {
    // Not every file system has hard links.
    try {
      copyFileSync(path, kept, constants.COPYFILE_EXCL);
    } catch (error) {
      remove();
      throw error;
    }
  }
  return {
    putBack() {
      renameSync(kept, path);
      // If the file was not deleted, both still exist.
      remove();
    },
    remove,
  };
}

/** Quits the app, and so never resolves; rejects if the system refuses the update, which may take it a while. */
function quitAndInstall(updater: ElectronUpdater): Promise<void> {
  return new Promise((_resolve, reject) => {
    updater.once('error', reject);
    updater.quitAndInstall(false, true);
  });
}

/** The file awaiting installation, and the updater that downloaded it. */
type Downloaded = {
  readonly updater: ElectronUpdater;
  readonly path: string;
  readonly files: readonly UpdateManifestFile[];
};

/** Name of the folder of downloads, which all profiles of a user share. */
const downloadsName = 'latchkey-updater';

/** Returns the folder in which electron-updater keeps its downloads. */
export function findDownloads(): string {
  return join(getAppCacheDir(), downloadsName);
}

export type SystemUpdaterDeps = { readonly folder: string; readonly log: Log };

/** `folder` is the profile folder. */
export function createSystemUpdater({ folder, log }: SystemUpdaterDeps): AppUpdater {
  const { platform: system, arch, env: environment } = process;
  const isPackaged = app.isPackaged && process.versions.electron !== undefined;
  const isAppImage = system === 'linux';
  let downloaded: Downloaded | null = null;
  return {
    installation: findInstallation({ system, environment, isPackaged }),
    platform: updatePlatform(system, arch),
    channel: updateChannel(system, arch),

    async download(update, signal, onProgress) {
      downloaded = null;
      const { AppImageUpdater, autoUpdater, CancellationToken, Provider } = await import('electron-updater');
      // An updater whose installation has failed ignores every further one.
      const updater = isAppImage ? new AppImageUpdater() : autoUpdater;
      const files = filesOfKind(update.files, system);
      const updateProvider = createProvider(Provider, { ...update, files }, signal);
      updater.logger = null;
      updater.autoDownload = false;
      updater.autoInstallOnAppQuit = false;
      updater.allowDowngrade = false;
      updater.disableWebInstaller = true;
      // The licensing client has already applied the percentage.
      updater.isUserWithinRollout = () => true;
      updater.updateConfigPath = await writeUpdateConfig(folder, update.feed);
      updater.setFeedURL({ provider: 'custom', updateProvider });
      // Failures also reject; an `error` event without a listener would be thrown.
      if (updater.listenerCount('error') === 0) updater.on('error', () => {});
      const found = await updater.checkForUpdates();
      if (!found?.isUpdateAvailable) throw new Error('electron-updater finds no newer version');
      const token = new CancellationToken();
      const cancel = () => token.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      const showProgress = ({ transferred, total, bytesPerSecond }: ProgressInfo) =>
        onProgress({ doneBytes: transferred, totalBytes: total, bytesPerSecond });
      updater.on('download-progress', showProgress);
      onProgress({ doneBytes: 0, totalBytes: files[0]?.bytes ?? 0, bytesPerSecond: 0 });
      try {
        const [path] = await updater.downloadUpdate(token);
        if (path === undefined) throw new Error('nothing was downloaded');
        await requireSignedBytes(path, files);
        downloaded = { updater, path, files };
      } finally {
        signal.removeEventListener('abort', cancel);
        updater.off('download-progress', showProgress);
      }
      log.info('an update was downloaded', { version: update.version });
    },

    async install({ restart }) {
      if (downloaded === null) throw new Error('nothing was downloaded');
      const { updater, path, files } = downloaded;
      // It may have waited for days in a folder that every program of this user can write to.
      await requireSignedBytes(path, files);
      // The Windows installer and macOS wait for the app to quit, and start the new version themselves.
      if (restart && !isAppImage) return quitAndInstall(updater);
      if (!('install' in updater) || typeof updater.install !== 'function') {
        throw new Error('on this system an update is installed by the window only');
      }
      const oldPath = environment.APPIMAGE;
      let execPath = oldPath;
      updater.once('appimage-filename-updated', (newPath) => {
        execPath = newPath;
      });
      const kept = oldPath === undefined ? null : keepFile(oldPath);
      try {
        if (!updater.install(true, false)) throw new Error('the file could not be replaced');
        if (execPath !== undefined) await requireStoredFile(execPath, files);
      } catch (error) {
        if (execPath !== undefined && execPath !== oldPath) rmSync(execPath, { force: true });
        kept?.putBack();
        throw error;
      }
      kept?.remove();
      if (!restart) return;
      // If electron-updater started the new version, it would find this one still running and quit.
      app.relaunch({ ...(execPath === undefined ? {} : { execPath }), args: [] });
      app.quit();
    },
  };
}

/**
 * Writes the file that electron-updater expects next to an app packaged for one server; our server is chosen in the
 * app.
 */
async function writeUpdateConfig(folder: string, url: string): Promise<string> {
  const path = join(folder, 'updates', 'app-update.yml');
  createFolder(join(folder, 'updates'));
  await writeAtomically(
    path,
    `provider: generic\nurl: ${JSON.stringify(url)}\nupdaterCacheDirName: ${downloadsName}\n`,
  );
  return path;
}
