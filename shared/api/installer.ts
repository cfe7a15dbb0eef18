/** Messages of `/binary-hash`. */
import { z } from 'zod';
import { timestamp } from './fields.ts';

export const installerPlatforms = ['windows_x64', 'macos_arm64', 'linux_amd64'] as const;
export type InstallerPlatform = (typeof installerPlatforms)[number];

/** `sha256:` and 64 lower-case hex characters. */
const installerHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 lower-case hex characters');

/** `hashes` omits platforms without a published installer. */
export const installerHashesResponse = z.object({
  version: z.string().min(1),
  hashes: z.object({
    windows_x64: installerHash.optional(),
    macos_arm64: installerHash.optional(),
    linux_amd64: installerHash.optional(),
  }),
  updated_at: timestamp,
});
export type InstallerHashes = z.infer<typeof installerHashesResponse>;

/** Response when no installer is published: status 404 with exactly these fields. */
export const installerHashesMissing = z.object({
  error: z.string(),
  message: z.string(),
});

/** What was published with a hash. A withdrawn version is unknown. */
export const installerByHashResponse = z.discriminatedUnion('known', [
  z.object({
    known: z.literal(true),
    version: z.string(),
    platform: z.enum(installerPlatforms),
    published_at: timestamp,
  }),
  z.object({ known: z.literal(false) }),
]);
export type InstallerByHash = z.infer<typeof installerByHashResponse>;
