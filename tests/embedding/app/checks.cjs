/** CommonJS program that checks what is rejected, what happens before the start, and signing out. Prints its findings as JSON. */
const { readdirSync } = require('node:fs');
const { createLicensingClient } = require('latchkey-client');
const { createNodePlatform } = require('latchkey-client/node');
// Electron itself is only required on first use.
require('latchkey-client/electron');

let requests = 0;
const counted = (url, init) => {
  requests += 1;
  return fetch(url, init);
};
const app = { name: 'Sketcher', version: '1.0.0' };
const server = process.env.LICENSE_SERVER;

/** Resolves with whether the feature was ever on before the start was complete, and whether it is on now. */
async function start(client) {
  const isOn = () => client.feature('csv_export').ok;
  let isStarted = false;
  let wasOn = isOn();
  const starting = client.start().then(() => {
    isStarted = true;
  });
  while (!isStarted) {
    wasOn ||= isOn();
    await new Promise(setImmediate);
  }
  await starting;
  return { wasOn, isOn: isOn() };
}

async function main() {
  const platform = await createNodePlatform({ folder: 'fresh', fetch: counted });
  const refused = [{ server: 'http://licenses.example.org' }, { trustedLeaseKeys: [] }, { trustedLeaseKeys: [{}] }];
  const errors = refused.map((change) => {
    try {
      return createLicensingClient({ platform, server, app, ...change });
    } catch (error) {
      return error.name;
    }
  });
  createLicensingClient({ platform, server, app }).feature('csv_export');
  const entries = readdirSync('fresh', { recursive: true, withFileTypes: true });
  const before = { requests, files: entries.filter((entry) => entry.isFile()).length };

  const client = createLicensingClient({
    platform: await createNodePlatform({ folder: 'profile', fetch: counted }),
    server,
    app,
  });
  const started = await start(client);
  const doctor = await client.doctor();
  const steps = doctor.ok ? doctor.value.steps.map(({ step, outcome }) => `${step} ${outcome}`) : [];
  const signedOut = await client.signOut();
  const after = client.feature('csv_export');
  await client.stop();
  console.log(
    JSON.stringify({ errors, before, started, steps, signedOut: signedOut.ok, after: after.failure?.reason }),
  );
}

main();
