/** The client in plain Node, as an ES module: signs in, or starts from what is stored. */
import { createLicensingClient } from 'latchkey-client';
import { createNodePlatform } from 'latchkey-client/node';

const [email = '', password = '', licenseKey = ''] = process.argv.slice(2);
const client = createLicensingClient({
  platform: await createNodePlatform({ folder: 'profile' }),
  server: process.env.LICENSE_SERVER ?? 'https://licenses.example.org',
  app: { name: 'Sketcher', version: '1.0.0' },
});
await client.start();

if (email !== '') {
  const signedIn = await client.signIn({ email, password });
  if (!signedIn.ok) throw new Error(signedIn.failure.message);
  const activated = await client.activate({ licenseKey });
  if (!activated.ok) throw new Error(activated.failure.message);
}

const gate = client.feature('csv_export');
console.log(gate.ok ? 'csv_export is on' : `csv_export is off: ${gate.failure.reason}`);
await client.stop();
