/** What `npm start` says once everything runs. */
import type { DemoData } from './demo-server.ts';

/** The demo's accounts, keys and file, and what to do with them. */
export function demoText(address: string, demo: DemoData): string {
  const lines: readonly (readonly [string, string])[] = [
    ['Server', address],
    ['Sign in', `${demo.email}   password ${demo.password}`],
    ['License key', `${demo.license_key}   activates this device`],
    ['Installer file', `${demo.installer_file}   genuine, version ${demo.version}`],
    ['A full license', `${demo.full_account.email}   password ${demo.full_account.password}`],
    ['', `${demo.full_account.license_key}   at its device limit: replace a device`],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return ['', ...lines.map(([name, value]) => `  ${name.padEnd(width)}   ${value}`), '', tryThis, ''].join('\n');
}

const tryThis = `  Try: sign in · Devices: enter the license key, "Activate this device" · Features: what is on, and why not
       API key: "Generate API key" · Installer: "Choose a file…" with the installer file · Activity: heartbeats`;

/** Where the desktop can be opened; the address has a line of its own. */
export function addressText(address: string): string {
  return `Open the desktop in a browser (the address works once):\n${address}\n`;
}
