/** Published installers, as staff see and publish them. */
import { z } from 'zod';
import { installerHashesResponse, installerPlatforms } from '../installer.ts';
import { plainText } from './fields.ts';

export const publishedInstallers = z.object({ installers: installerHashesResponse.nullable() });

const hash = z.string().optional();

/** `sha256:` and 64 hex characters per platform. Hashes of other platforms are kept if the version is the same. */
export const publishInstallersRequest = z.object({
  version: plainText,
  hashes: z.object({ windows_x64: hash, macos_arm64: hash, linux_amd64: hash }),
});

/** Version and platform of an uploaded installer. */
export const uploadInstallerParams = z.object({
  version: plainText,
  platform: z.enum(installerPlatforms, `must be one of ${installerPlatforms.join(', ')}`),
});

/** Hash and size of the received file. */
export const comparedInstaller = z.object({ sha256: z.string(), bytes: z.number() });

/** 2 GiB. */
export const maxInstallerBytes = 2 * 1024 ** 3;
