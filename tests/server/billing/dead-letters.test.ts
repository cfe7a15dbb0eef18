/** Dead letters are applied a few per write, each once, with all that follows from them. Transport: inject. */
import { beforeEach, describe, expect, it } from 'vitest';
import { DeadLetters, type Wait } from '../../../server/billing/dead-letters.ts';
import type { Tables } from '../../../server/database/tables.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { newEmail } from '../../harness/users.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newStripePurchase,
  providerSettings,
  sendAllToLemon,
  sendAllToStripe,
  stripeEvents,
} from './provider-events.ts';

const server = sharedApp(providerSettings);
const reason = 'It waits.';
const waitOf = (emailKey: string): Wait => ({ reason, of: { emailKey } });

let ids = 0;

/** Stores dead letters that wait for an email; returns their ids in the order in which they happened. */
async function store(email: string, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_none, index): Tables['billing_events'] => ({
    id: `letter-${String(++ids).padStart(6, '0')}`,
    provider: 'stripe',
    event_id: `evt_${ids}`,
    type: 'test',
    state: 'dead_letter',
    reason,
    email: email.toUpperCase(),
    customer_id: null,
    payment_id: null,
    // The last ones happened first.
    event_at_ms: count - index,
    received_at_ms: 0,
    payload: '{}',
  }));
  await server.database.write((transaction) => transaction.insertInto('billing_events').values(rows).execute());
  return rows.map(({ id }) => id).toReversed();
}

describe('dead letters', () => {
  const applied: string[] = [];
  let writes = 0;
  const pause = async () => {
    writes++;
    return true;
  };
  /** Leaves each of them a dead letter, as if it waited for something else by then. */
  const create = (first: readonly Wait[] = [], follow: (id: string) => Wait | undefined = () => undefined) =>
    new DeadLetters(
      {
        database: server.database,
        apply: async (_transaction, id) => {
          applied.push(id);
          return follow(id);
        },
      },
      first,
    );

  beforeEach(() => {
    applied.length = 0;
    writes = 0;
  });

  it('are applied in the order in which they happened, fifty per write and each once', async () => {
    const email = newEmail();
    const stored = await store(email, 120);
    const letters = create();
    await server.database.write((transaction) => letters.apply(transaction, [undefined, waitOf(email)]));
    expect(applied).toEqual(stored.slice(0, 50));
    await letters.applyRest(pause);
    expect(applied).toEqual(stored);
    expect(writes).toBe(2);
  });

  it('are followed by those that wait for what they make known', async () => {
    const [email, following] = [newEmail(), newEmail()];
    const [first = '', next = ''] = [...(await store(email, 1)), ...(await store(following, 1))];
    const letters = create([], (id) => (id === first ? waitOf(following) : undefined));
    await server.database.write((transaction) => letters.apply(transaction, [waitOf(email)]));
    expect(applied).toEqual([first, next]);
    await letters.applyRest(pause);
    expect(writes).toBe(0);
  });

  it('are applied later if a write fails', async () => {
    const email = newEmail();
    const stored = await store(email, 1);
    let fails = true;
    const letters = create([waitOf(email)], () => {
      if (fails) throw new Error('The disk is full.');
      return undefined;
    });
    await expect(letters.applyRest(pause)).rejects.toThrow('The disk is full.');
    fails = false;
    await letters.applyRest(pause);
    expect(applied).toEqual([...stored, ...stored]);
  });

  it('beyond a thousand causes are left to the next start', async () => {
    const [last, beyond] = [newEmail(), newEmail()];
    const [ofLast = ''] = await store(last, 1);
    await store(beyond, 1);
    const others = Array.from({ length: 999 }, () => waitOf(newEmail()));
    await create([...others, waitOf(last), waitOf(beyond)]).applyRest(pause);
    expect(applied).toEqual([ofLast]);
  });
});

it('the list shows only the events in the state that was asked for', async () => {
  const purchase = newStripePurchase(newEmail());
  const events = stripeEvents(purchase);
  await sendAllToStripe(server, [events.subscription('created', server.now()), events.refunded(1, { customer: null })]);
  const statesOf = async (state: string) => {
    const listed = (await server.admin('billing', 'list', '--state', state)) as unknown as { state: string }[];
    return [...new Set(listed.map((event) => event.state))];
  };
  expect(await statesOf('applied')).toEqual(['applied']);
  expect(await statesOf('dead_letter')).toEqual(['dead_letter']);
});

it('the email of a customer is that of the newest event, in whatever order events arrive', async () => {
  const { customer, subscription } = newLemonPurchase('');
  const [first, newest, late] = [newEmail(), newEmail(), newEmail()];
  const at = (email: string, atMs: number) =>
    lemonEvents(newLemonPurchase(email, { customer, subscription })).subscription('subscription_updated', atMs);
  const stored = () =>
    server.database.read
      .selectFrom('billing_customers')
      .select('email')
      .where('customer_id', '=', String(customer))
      .executeTakeFirst();
  await sendAllToLemon(server, [at(first, server.now()), at(newest, server.now() + 1), at(late, server.now())]);
  expect(await stored()).toEqual({ email: newest });
});

it('a dead letter without an email can be retried with the confirmation of emails, and stays one', async () => {
  const events = stripeEvents(newStripePurchase(newEmail()));
  await sendAllToStripe(server, [events.refunded(server.now(), { customer: null })]);
  const listed = (await server.admin('billing', 'list')) as unknown as { id: string; email: string | null }[];
  const { id = '' } = listed.find(({ email }) => email === null) ?? {};
  await expect(server.admin('billing', 'retry', id, '--confirm-email')).rejects.toMatchObject({ code: 'CONFLICT' });
});
