/** Events that a webhook endpoint does not accept: `check` and the overview report them long before they are given up. */
import { expect, it } from 'vitest';
import { checkDatabase } from '../../../server/backup/check-database.ts';
import { minute } from '../../harness/fake-clock.ts';
import { freePort } from '../../harness/free-port.ts';
import { newStaff } from '../../harness/staff.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { signUp } from '../../harness/users.ts';

it('events that wait for half an hour need attention, and check names the endpoint without the path of its URL', async () => {
  const app = await startTestApp({ LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1' });
  const origin = `http://127.0.0.1:${await freePort()}`;
  const { browser } = await newStaff(app, 'owner');
  const { id } = await app.admin('webhook', 'add', `${origin}/secret-path`, '--event', 'account.created');
  const attentionOf = async () => {
    const { attention } = (await browser.expectOk('overview')) as { attention: { kind: string; params: object }[] };
    return attention.filter(({ kind }) => kind === 'events_waiting');
  };
  const warningsOf = async () =>
    (await checkDatabase(app)).warnings.filter((warning) => warning.includes('webhook endpoint'));
  await signUp(app);
  const since = new Date(app.now()).toISOString();
  await app.services.deliveries.begin(() => undefined);
  await app.services.deliveries.idle();
  app.clock.advance(29 * minute);
  expect([await attentionOf(), await warningsOf()]).toStrictEqual([[], []]);
  app.clock.advance(2 * minute);
  expect(await attentionOf()).toStrictEqual([{ kind: 'events_waiting', params: { count: 1 } }]);
  expect(await warningsOf()).toStrictEqual([
    `1 event waits for the webhook endpoint at ${origin}, the oldest since ${since}: "admin webhook deliveries ${id}" shows why it does not accept them`,
  ]);
});
