/** Dead letters that a process leaves behind are applied by the next one. Transport: inject. */
import { expect, it, onTestFinished } from 'vitest';
import { startApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { newEmail } from '../../harness/users.ts';
import { newStripePurchase, providerSettings, sendAllToStripe, stripeEvents } from './provider-events.ts';

async function countDeadLetters({ database }: TestApp): Promise<number> {
  const rows = await database.read
    .selectFrom('billing_events')
    .select('id')
    .where('state', '=', 'dead_letter')
    .execute();
  return rows.length;
}

type Events = ReturnType<typeof stripeEvents>;

/** Stripe does not tell the email with the subscription. */
function withoutEmail(event: ReturnType<Events['subscription']>) {
  return { ...event, data: { object: { ...event.data.object, metadata: {} } } };
}

it.each([
  {
    what: 'changes of a subscription whose customer has become known',
    waiting: (events: Events, atMs: number) => withoutEmail(events.subscription('created', atMs)),
    known: (events: Events, atMs: number) => [events.checkoutCompleted(atMs)],
  },
  {
    what: 'refunds of a customer whose subscription has become known',
    waiting: (events: Events, atMs: number) => events.refunded(atMs),
    known: (events: Events, atMs: number) => [events.subscription('created', atMs)],
  },
  {
    what: 'refunds of a payment whose invoice has become known',
    waiting: (events: Events, atMs: number) => events.refunded(atMs, { customer: null }),
    known: (events: Events, atMs: number) => [events.invoicePaid(atMs), events.invoicePaymentPaid(atMs)],
  },
])('more than fifty $what', async ({ waiting, known }) => {
  const at = await startTestApp(providerSettings);
  const events = stripeEvents(newStripePurchase(newEmail()));
  const other = stripeEvents(newStripePurchase(newEmail()));
  const atMs = at.now();
  await sendAllToStripe(at, [waiting(other, atMs), ...Array.from({ length: 60 }, () => waiting(events, atMs))]);
  expect(await countDeadLetters(at)).toBe(61);
  await sendAllToStripe(at, known(events, atMs));
  expect(await countDeadLetters(at)).toBe(11);
  const next = await startApp(providerSettings, { clock: at.clock, dataFolder: at.dataFolder });
  onTestFinished(() => next.stop());
  await next.services.billing.applyDeadLetters(async () => true);
  expect(await countDeadLetters(at), 'all but those of another customer').toBe(1);
});
