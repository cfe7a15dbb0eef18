/** A provider's list of its subscriptions, as read by `billing reconcile`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { day, second } from '../../harness/fake-clock.ts';
import type { TestApp } from '../../harness/start-app.ts';
import type { LemonPurchase, StripePurchase } from './provider-events.ts';

export const listHeader = 'provider,customer,email,plan,status,current_period_end,as_of';
const columns = [...listHeader.split(','), 'subscription'];

export type Row = Partial<
  Record<
    'provider' | 'subscription' | 'customer' | 'email' | 'plan' | 'status' | 'current_period_end' | 'as_of',
    string
  >
>;

let files = 0;

/** Writes a list, which only has the subscription column if a row has a subscription id; returns its path. */
export function writeList(at: TestApp, rows: readonly Row[]): string {
  const file = join(at.dataFolder, `list-${++files}.csv`);
  const used = rows.some(({ subscription }) => subscription) ? columns : columns.slice(0, -1);
  const lines = rows.map((row) => used.map((name) => row[name as keyof Row] ?? '').join(','));
  writeFileSync(file, [used.join(','), ...lines, ''].join('\n'));
  return file;
}

/** Runs `billing reconcile` with these rows. */
export function reconcileList(at: TestApp, rows: readonly Row[], apply = true) {
  return at.admin('billing', 'reconcile', writeList(at, rows), ...(apply ? ['--apply'] : []));
}

export const iso = (timeMs: number) => new Date(timeMs).toISOString();
export const wholeSeconds = (timeMs: number) => Math.floor(timeMs / second) * second;

/** The row for the purchase in Stripe's list, dated a second after its event. */
export function stripeRow({ customer, email }: StripePurchase, atMs: number, fields: Row = {}): Row {
  return {
    provider: 'stripe',
    customer,
    email,
    plan: 'standard',
    status: 'active',
    current_period_end: iso(wholeSeconds(atMs) + 30 * day),
    as_of: iso(atMs + second),
    ...fields,
  };
}

/** The row for the purchase in Lemon Squeezy's list. */
export function lemonRow({ customer, email, variant }: LemonPurchase, atMs: number, fields: Row = {}): Row {
  return {
    provider: 'lemonsqueezy',
    customer: String(customer),
    email,
    plan: variant === 12 ? 'advanced' : 'standard',
    status: 'active',
    current_period_end: iso(atMs + 30 * day),
    as_of: iso(atMs + second),
    ...fields,
  };
}
