/** A platform as main names it (`win32 x64`), as people name it. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/^win(?:32|dows)\b/i, 'Windows'],
  [/^(?:darwin|macos)\b/i, 'macOS'],
  [/^linux\b/i, 'Linux'],
];

/** Names that are no system of ours stay as they are. */
export function platformName(platform: string): string {
  const known = systems.find(([pattern]) => pattern.test(platform));
  return known === undefined ? platform : platform.replace(known[0], known[1]);
}
