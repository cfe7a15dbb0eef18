/** Installer hashes: `sha256:` and 64 lower-case hex characters. */

/** A hash from hex in either case, with or without its `sha256:`; `null` where it is none. */
export function normaliseInstallerHash(input: string): string | null {
  const hex = input
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '');
  return /^[0-9a-f]{64}$/.test(hex) ? `sha256:${hex}` : null;
}
