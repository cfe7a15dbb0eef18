/** Runs before the app is packaged: fails where the app would not know its license server. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readAppDeclaration } from './app-declaration.ts';

/** What is missing, and what to do; `null` if nothing is. Throws for an ill-formed package.json. */
export function findMissingServer(packageJson: string, environment: NodeJS.ProcessEnv): string | null {
  const { server } = readAppDeclaration(packageJson);
  if (server !== undefined || environment.LATCHKEY_ASK_SERVER === '1') return null;
  return (
    'The app has no license server: set "latchkey": {"server": "https://…"} in package.json. ' +
    'For an app that asks its users for the address, run again with LATCHKEY_ASK_SERVER=1.'
  );
}

function main(): void {
  try {
    const problem = findMissingServer(readFileSync('package.json', 'utf8'), process.env);
    if (problem === null) return;
    console.error(problem);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
