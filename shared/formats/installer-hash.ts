/** Installer hashes: `sha256:` and 64 lower-case hex characters. */

/** Accepts hex in either case, with or without `sha256:`; `null` for anything else. */
export function normalizeInstallerHash(input: string): string | null {
  const hex = input
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '');
  return /^[0-9a-f]{64}$/.test(hex) ? `sha256:${hex}` : null;
}
