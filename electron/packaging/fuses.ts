/** The fuses of Electron's binary: as set in `electron-builder.yml`, and as read back from the file. */
import { type FuseConfig, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses';
import { FuseState } from '@electron/fuses/dist/constants.js';
import { z } from 'zod';

/** By their names in `electronFuses`; an unknown name fails, so that none is set without being read back. */
const fuseNumbers = {
  runAsNode: FuseV1Options.RunAsNode,
  enableCookieEncryption: FuseV1Options.EnableCookieEncryption,
  enableNodeOptionsEnvironmentVariable: FuseV1Options.EnableNodeOptionsEnvironmentVariable,
  enableNodeCliInspectArguments: FuseV1Options.EnableNodeCliInspectArguments,
  enableEmbeddedAsarIntegrityValidation: FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
  onlyLoadAppFromAsar: FuseV1Options.OnlyLoadAppFromAsar,
  loadBrowserProcessSpecificV8Snapshot: FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
  grantFileProtocolExtraPrivileges: FuseV1Options.GrantFileProtocolExtraPrivileges,
} as const;

type FuseName = keyof typeof fuseNumbers;
const fuseNames = Object.keys(fuseNumbers) as FuseName[];

/** `electronFuses` in `electron-builder.yml`: every fuse, on or off. */
export const fuseSettings = z.strictObject({
  ...(Object.fromEntries(fuseNames.map((name) => [name, z.boolean()])) as Record<FuseName, z.ZodBoolean>),
  /** Not a fuse: signs the macOS app again, without an identity, after its fuses were set. */
  resetAdHocDarwinSignature: z.boolean().optional(),
});
export type FuseSettings = z.infer<typeof fuseSettings>;

/** Returns the input of `flipFuses` in `@electron/fuses`. */
export function toFuseConfig({ resetAdHocDarwinSignature, ...fuses }: FuseSettings): FuseConfig {
  const byNumber = fuseNames.map((name) => [fuseNumbers[name], fuses[name]]);
  return { version: FuseVersion.V1, resetAdHocDarwinSignature, ...Object.fromEntries(byNumber) };
}

/**
 * Returns a sentence for each fuse that this Electron no longer has. Setting it would have no effect and leave no
 * trace, so this is checked before.
 */
export async function findRemovedFuses(program: string): Promise<readonly string[]> {
  const wire = await getCurrentFuseWire(program);
  return fuseNames
    .filter((name) => (wire[fuseNumbers[name]] ?? FuseState.REMOVED) === FuseState.REMOVED)
    .map((name) => `The fuse ${name} is no longer one of this version of Electron: nothing replaces it by itself.`);
}

/**
 * Returns a sentence for each fuse in the wrong state. `program` is the executable, or on macOS the folder `NAME.app`.
 * Rejects if the file cannot be read or has no fuses.
 */
export async function checkFuses(program: string, settings: FuseSettings): Promise<readonly string[]> {
  const wire = await getCurrentFuseWire(program);
  return fuseNames.flatMap((name) => {
    const state = wire[fuseNumbers[name]] ?? FuseState.REMOVED;
    if (state === (settings[name] ? FuseState.ENABLE : FuseState.DISABLE)) return [];
    const found = state === FuseState.ENABLE ? 'on' : state === FuseState.DISABLE ? 'off' : 'missing';
    return [`The fuse ${name} of ${program} is ${found}, and has to be ${settings[name] ? 'on' : 'off'}.`];
  });
}
