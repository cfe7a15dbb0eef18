/** When preloaded into a process (`--import`), kills it with SIGKILL right before a rename to `KILL_AT_RENAME_TO`. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const rename = fs.renameSync;
fs.renameSync = (from, to) => {
  if (to === process.env.KILL_AT_RENAME_TO) process.kill(process.pid, 'SIGKILL');
  rename(from, to);
};
syncBuiltinESMExports();
