/**
 * Uses the desktop endlessly on the profile folder given on the command line: signs in, activates, and then changes the
 * content of each store. Prints a line once a change is reported as stored. Made to be killed; with KILL_AT_WRITE it
 * kills itself after opening that many files for writing, before it writes to the last one.
 */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { StoredDesktop, StoredWorld } from './stored-desktop.ts';

const killAtWrite = Number(process.env.KILL_AT_WRITE ?? 0);
const { open } = fs;
let opened = 0;
fs.open = async (path, flags, mode) => {
  const file = await open(path, flags, mode);
  if (flags === 'wx' && ++opened === killAtWrite) process.kill(process.pid, 'SIGKILL');
  return file;
};
syncBuiltinESMExports();

const [folder = '', first = '0'] = process.argv.slice(2);
const world = new StoredWorld(`lease-${process.pid}`);
// Each sync refreshes the session, which is stored before and after that.
world.server.accessLifetimeMs = 1;

const desktop = await StoredDesktop.start(world, folder);
// The device was activated before the last kill.
world.server.activated = true;
await desktop.signIn();
await desktop.recover();
console.log('ready');
for (let number = Number(first); ; number++) {
  const renamed = await desktop.client.renameDevice({ name: `Bench ${number}` });
  if (renamed.ok) console.log(`stored ${number}`);
  await desktop.client.generateApiKey({ replace: true });
  await desktop.client.syncNow();
}
