/** Detects a start for the command line; a separate file, so that opening the window does not load the command line. */

/** Returns the arguments after `--cli` if that is the app's first argument; `null` if the window was requested. */
export function findCliArguments(argv: readonly string[]): readonly string[] | null {
  const first = argv.indexOf('--cli');
  // Before it come only the program, in development the app's folder, and Chromium switches.
  if (first === -1 || first > 3) return null;
  // After `--` comes a link, with whatever its author may have put there.
  const end = argv.indexOf('--');
  return end !== -1 && end < first ? null : argv.slice(first + 1);
}
