/** A revoked API key, for example one that leaked, does not come back when its file is imported again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { invalid } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { subscriber } from '../../harness/users.ts';

const server = sharedApp();

it('an imported key that was reported stays revoked, however often its owner has replaced the key since', async () => {
  const { email, token } = await subscriber(server);
  const file = join(server.dataFolder, 'keys.csv');
  writeFileSync(file, `email,key,expires_at\n${email},a-leaked-key,2099-01-31\n`);
  expect(await server.admin('import', 'api-keys', file)).toMatchObject({ imported: 1 });
  await server.call('reportApiKey', { body: { api_key: 'a-leaked-key' } });
  let current = '';
  for (let count = 0; count <= 101; count++) {
    const { body } = await server.call('apiKey', { token, body: { regenerate: true } });
    current = stringIn(body, 'api_key');
  }
  expect(await server.admin('import', 'api-keys', file)).toMatchObject({ imported: 0 });
  const validate = async (api_key: string) => (await server.call('validateApiKey', { body: { api_key } })).body;
  expect(await validate('a-leaked-key')).toEqual(invalid('INVALID_API_KEY'));
  expect(await validate(current)).toMatchObject({ valid: true, source: 'new' });
});
