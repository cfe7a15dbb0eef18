/** Whether this start of the app is for the command line; apart from it, so that opening the window does not load that. */

/** What stands after `--cli` where that is the first argument of the app; `null` if the window was asked for. */
export function findCliArguments(argv: readonly string[]): readonly string[] | null {
  const first = argv.indexOf('--cli');
  // Before it there are only the program, in development the app's folder, and switches of Chromium.
  if (first === -1 || first > 3) return null;
  // After `--` stands a link, and what its author may have put there.
  const end = argv.indexOf('--');
  return end !== -1 && end < first ? null : argv.slice(first + 1);
}
