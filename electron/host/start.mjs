/**
 * The entry of `npm start`: requires Node 24 and its packages. Uses only syntax that older versions support, so that
 * they print the message below.
 */
const [major] = process.versions.node.split('.');

if (Number(major) < 24) {
  console.error(
    `Latchkey needs Node 24 or newer; this is ${process.version}. "npm ci" installs it on Linux and on Windows (x64). On other systems, install it from https://nodejs.org, then run "npm start" again.`,
  );
  process.exit(1);
}

const { describeMissingPackages } = await import('./start/missing-packages.ts');
const problem = describeMissingPackages();
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

await import('./start/start.ts');
