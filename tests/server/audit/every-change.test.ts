/** Each endpoint of the admin page that changes something leaves an entry in the audit log. Transport: inject. */
import { expect, it } from 'vitest';
import { adminEndpoints } from '../../../shared/api/admin-endpoints.ts';
import { adminEndpointSettings, callEveryAdminEndpoint } from '../../conformance/every-admin-endpoint.ts';
import { startSmtpServer } from '../../harness/mails.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { startOidcProvider } from '../oidc/server-with-provider.ts';

/** Endpoints that only prepare, look up or compare. */
const changesNothing = [
  'addPasskeyOptions',
  'compareInstaller',
  'confirmBySingleSignOn',
  'forgotStaffPassword',
  'staffConfirmPasskeyOptions',
  'staffPasskeyOptions',
  'startSingleSignOn',
  'welcome',
];

it('every change on the admin page is recorded in the audit log with the name of the member', async () => {
  const { url } = await startSmtpServer();
  const { settings } = await startOidcProvider();
  const server = await startTestApp({ ...adminEndpointSettings, ...settings, LATCHKEY_SMTP_URL: url });
  const countEntries = async () =>
    (await server.database.read.selectFrom('audit_events').select('id').where('actor_kind', '=', 'staff').execute())
      .length;
  const missing = new Set<string>();
  await callEveryAdminEndpoint(server, async (name, call) => {
    const before = await countEntries();
    const result = await call();
    const isChange = adminEndpoints[name].method !== 'GET' && !changesNothing.includes(name);
    if (isChange !== (await countEntries()) > before) missing.add(name);
    return result;
  });
  expect([...missing]).toStrictEqual([]);
});
