/**
 * Uses the desktop on the profile folder that its command line names, without end: signs in, activates, and then changes
 * what each of its stores holds. Prints a line once a change is said to be stored. Made to be killed.
 */
import { StoredDesktop, StoredWorld } from './stored-desktop.ts';

const [folder = '', first = '0'] = process.argv.slice(2);
const world = new StoredWorld(`lease-${process.pid}`);
// Each sync refreshes the session, which is stored before and after.
world.server.accessLifetimeMs = 1;

const desktop = await StoredDesktop.start(world, folder);
// It was activated before the last kill.
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
