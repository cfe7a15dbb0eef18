/**
 * A license suspended after a refund and also by staff: the decision of staff stands when the license is paid for
 * again.
 */
import { expect, it } from 'vitest';
import { day } from '../../harness/fake-clock.ts';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';
import { newEmail } from '../../harness/users.ts';
import { lemonEvents, newLemonPurchase, providerSettings, sendAllToLemon } from '../billing/provider-events.ts';

const server = sharedApp({
  ...providerSettings,
  LATCHKEY_BILLING_ISSUE: '1',
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
});

/** Returns a license that was bought and then suspended because the payment was refunded. */
async function refunded() {
  const purchase = newLemonPurchase(newEmail());
  const events = lemonEvents(purchase);
  const readAll = async () =>
    (await server.admin('license', 'list', '--email', purchase.email)) as unknown as readonly Json[];
  const expectStatus = async (status: string) => expect(await readAll()).toMatchObject([{ status }]);
  const refund = () => sendAllToLemon(server, [events.orderRefunded(server.now())]);
  const payAgain = async () => {
    server.clock.advance(day);
    await sendAllToLemon(server, [events.paymentSuccess(server.now())]);
  };
  await sendAllToLemon(server, [events.subscription('subscription_created', server.now())]);
  await refund();
  await expectStatus('inactive');
  const id = String((await readAll())[0]?.id);
  return { id, expectStatus, refund, payAgain };
}

it('stays suspended after a suspension by command, which is in the audit log', async () => {
  const { id, expectStatus, payAgain } = await refunded();
  const set = await server.admin('license', 'set', id, '--status', 'inactive');
  expect(set).toMatchObject({ id, status: 'inactive' });
  const entry = { actor: 'admin command', action: 'license.suspend', target: `license ${set.key_preview}` };
  expect(await server.admin('audit', 'list')).toContainEqual(expect.objectContaining(entry));
  await payAgain();
  await expectStatus('inactive');
});

it('stays suspended after staff suspend it on the admin page', async () => {
  const { id, expectStatus, payAgain } = await refunded();
  const { browser } = await newStaff(server, 'support');
  await browser.expectOk('suspendLicense', { at: id, body: {} });
  await payAgain();
  await expectStatus('inactive');
});

it('stays suspended if staff reinstate it and suspend it again later', async () => {
  const { id, expectStatus, refund, payAgain } = await refunded();
  await server.admin('license', 'set', id, '--status', 'active');
  await refund();
  await expectStatus('active');
  await server.admin('license', 'set', id, '--status', 'inactive');
  await payAgain();
  await expectStatus('inactive');
});

it('is reinstated by the payment if staff made no decision', async () => {
  const { expectStatus, payAgain } = await refunded();
  await payAgain();
  await expectStatus('active');
});
