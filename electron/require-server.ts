/**
 * Runs before the app is packaged: fails if the app would not know its license server, would not receive its links, or
 * would have one id for its installers and another for Windows.
 */
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readAppDeclaration } from './app-declaration.ts';

/** The files that name the scheme, and how. */
const schemeFiles = [
  ['electron-builder.yml', (scheme: string) => `schemes: [${scheme}]`],
  ['electron/packaging/windows/installer.nsh', (scheme: string) => `LINK_SCHEME "${scheme}"`],
] as const;

/** Returns what is missing and how to fix it; `null` if nothing is. Throws if package.json is invalid. */
export function findMissingServer(packageJson: string, environment: NodeJS.ProcessEnv): string | null {
  const { server } = readAppDeclaration(packageJson);
  if (server !== undefined || environment.LATCHKEY_ASK_SERVER === '1') return null;
  return (
    'The app has no license server: set "latchkey": {"server": "https://…"} in package.json. ' +
    'For an app that asks its users for the address, run again with LATCHKEY_ASK_SERVER=1.'
  );
}

/**
 * Returns how to fix installers that would register, or uninstallers that would remove, another scheme than the app
 * declares; `null` if they agree.
 */
function findWrongScheme(packageJson: string): string | null {
  const { scheme } = readAppDeclaration(packageJson);
  for (const [file, settingFor] of schemeFiles) {
    const setting = settingFor(scheme);
    if (existsSync(file) && !readFileSync(file, 'utf8').includes(setting))
      return `The app opens links of the scheme "${scheme}": set ${setting} in ${file}.`;
  }
  return null;
}

/**
 * Returns how to fix an app that gives Windows another id than its installers do: its notifications would not open it,
 * and its uninstaller would leave the start at login; `null` if they agree.
 */
function findWrongAppId(): string | null {
  const [declaring, using] = ['electron-builder.yml', 'electron/main.ts'];
  if (!existsSync(declaring) || !existsSync(using)) return null;
  const appId = /^appId: *(\S+)/m.exec(readFileSync(declaring, 'utf8'))?.[1];
  const setting = `setAppUserModelId('${appId}')`;
  return readFileSync(using, 'utf8').includes(setting)
    ? null
    : `The app's id is "${appId}": set ${setting} in ${using}.`;
}

function main(): void {
  try {
    const packageJson = readFileSync('package.json', 'utf8');
    const problem = findMissingServer(packageJson, process.env) ?? findWrongScheme(packageJson) ?? findWrongAppId();
    if (problem === null) return;
    console.error(problem);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
