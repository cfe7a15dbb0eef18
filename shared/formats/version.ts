/** App versions in semver.org format: `1.2.3`, `2.0.0-beta.1`, `2.0.0+build.7`. */

export type Version = {
  /** Major, minor, patch. */
  readonly numbers: readonly [number, number, number];
  /** Pre-release identifiers; empty for a release. */
  readonly prerelease: readonly string[];
};

/** The limit that has always applied to installer versions. */
const maxLength = 100;
const number = '(0|[1-9][0-9]{0,14})';
const part = '(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)';
const pattern = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${part}(?:\\.${part})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

/** Parses a version; `null` for any other text, including one with a leading `v`. */
export function parseVersion(text: string): Version | null {
  const match = text.length <= maxLength ? pattern.exec(text) : null;
  if (match === null) return null;
  const [, major, minor, patch, prerelease] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split('.'),
  };
}

/**
 * Returns a negative number if `a` is older than `b`, 0 if neither is newer (build metadata after `+` is ignored), else
 * a positive number.
 */
export function compareVersions(a: Version, b: Version): number {
  for (const [index, value] of a.numbers.entries()) {
    const difference = value - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release sorts after its pre-releases.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [index, identifier] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(identifier, other);
    if (difference !== 0) return difference;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Sorts numbers before words, and compares numbers of any length without losing digits. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
