/** The entry of `npm start`, in words that an older Node understands too: it wants Node 24, then starts. */
const [major] = process.versions.node.split('.');

if (Number(major) < 24) {
  console.error(
    `Latchkey needs Node 24 or newer, and this is ${process.version}. "npm ci" brings it along on Linux and on Windows (x64); elsewhere get it from https://nodejs.org, then run "npm start" again.`,
  );
  process.exit(1);
}

await import('./start.ts');
