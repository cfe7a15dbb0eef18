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

it('a license suspended by command stays suspended when paid for again, and the command is in the audit log', async () => {
  const { id, expectStatus, payAgain } = await refunded();
  const set = await server.admin('license', 'set', id, '--status', 'inactive');
  expect(set).toMatchObject({ id, status: 'inactive' });
  const entry = { actor: 'admin command', action: 'license.suspend', target: `license ${set.key_preview}` };
  expect(await server.admin('audit', 'list')).toContainEqual(expect.objectContaining(entry));
  await payAgain();
  await expectStatus('inactive');
});

it('a license suspended by staff on the admin page stays suspended when paid for again', async () => {
  const { id, expectStatus, payAgain } = await refunded();
  const { browser } = await newStaff(server, 'support');
  await browser.expectOk('suspendLicense', { at: id, body: {} });
  await payAgain();
  await expectStatus('inactive');
});

it('a license that staff reinstate and later suspend again stays suspended when paid for again', async () => {
  const { id, expectStatus, refund, payAgain } = await refunded();
  await server.admin('license', 'set', id, '--status', 'active');
  await refund();
  await expectStatus('active');
  await server.admin('license', 'set', id, '--status', 'inactive');
  await payAgain();
  await expectStatus('inactive');
});

it('a license without a decision of staff is reinstated when paid for again', async () => {
  const { expectStatus, payAgain } = await refunded();
  await payAgain();
  await expectStatus('active');
});
