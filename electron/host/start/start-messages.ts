/** Everything that `npm start` prints. */
export const usage = `Usage: npm start [-- OPTIONS]

Builds the desktop app if needed, starts a server with demo data, and opens the app.

Options:
  --server URL   connect to this server instead of starting one (https, or http on this computer)
  --headless     do not open a window; print an address to open in a browser
  --port N       the port of the server (default: 8470, or a free port if it is taken)
  --data DIR     the folder of the demo data (default: ./data/demo)
  -h, --help     show this help`;

export const startMessages = {
  packagesMissing: (names: readonly string[]) =>
    `npm start needs packages that are not installed (${names.join(', ')}): run "npm ci --include=dev" first, or start the server without the desktop app with "npm run server".`,
  building: 'Building the desktop app…',
  downloadingElectron: 'Downloading Electron…',
  noElectron: 'Electron is not available here, so the app opens in a browser.',
  desktopNotStarted: 'The desktop app did not start.',
  desktopCrashed: (how: string) => `The desktop app ended unexpectedly (${how}). Run npm start again.`,
  alreadyRunning: (folder: string, remedy: string) =>
    `Latchkey is already running with the folder ${folder}. Quit it first, with Ctrl-C where it was started, or ${remedy}.`,
  folderUnusable: (folder: string, reason: string, remedy: string) =>
    `The folder ${folder} cannot be used (${reason}). Make it writable, or ${remedy}.`,
  chooseData: 'use another folder: npm start -- --data DIR',
  chooseProfile: 'use another folder: set the environment variable LATCHKEY_PROFILE to it',
  pressToStop: 'Press Ctrl-C to stop.',
  buildFailed: (output: string) => `The build failed:\n${output}`,
  portTaken: (port: number) => `Port ${port} is taken, so the server uses another one.`,
  serverNotStarted: (reason: string, logFile: string) =>
    `The server did not start: ${reason}\nIts full output is in ${logFile}.`,
  serverStopped: (logFile: string) =>
    `The server has stopped. The reason is in ${logFile}. Press Ctrl-C, then run npm start again.`,
  stopped: (dataFolder: string | null) =>
    dataFolder === null ? '\nStopped.' : `\nStopped. The demo data stays in ${dataFolder}`,
  /** The address is on a line of its own. */
  openInBrowser: (address: string) =>
    `Open the app in a browser (the address works only once):\n${address}\nSafari may not find it: then use Chrome, Edge or Firefox.\n`,
  server: (address: string) => `\n  Server   ${address}\n`,
  demo: demoText,
};

type DemoAccount = { readonly email: string; readonly password: string; readonly license_key: string };

/** The demo data, as printed by `server/demo/seed-demo.ts`. */
export type DemoData = DemoAccount & {
  /** Its license has reached the device limit. */
  readonly full_account: DemoAccount;
  readonly installer_file: string;
  readonly version: string;
};

/** Returns the demo's accounts, keys and file, and what to try with them. */
function demoText(address: string, demo: DemoData): string {
  const lines: readonly (readonly [string, string])[] = [
    ['Server', address],
    ['Sign in', `${demo.email}   password ${demo.password}`],
    ['License key', `${demo.license_key}   activates this device`],
    ['Installer file', `${demo.installer_file}   genuine, version ${demo.version}`],
    ['Device limit', `${demo.full_account.email}   password ${demo.full_account.password}`],
    ['', `${demo.full_account.license_key}   all its devices are in use: replace one`],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return ['', ...lines.map(([name, value]) => `  ${name.padEnd(width)}   ${value}`), '', thingsToTry, ''].join('\n');
}

const thingsToTry = `  To try: sign in · Devices: enter the license key, "Activate this device" · Features: what is on, and why not
          API key: "Generate API key" · Installer: "Choose a file…" with the installer file · Activity: heartbeats`;
