/** Finds what happens next and when, from the state alone: checks, renewals and ends. Pure. */
import type { AppState } from '../../shared/ipc/app-state.ts';
import { isPostponed, renewsAtEnd, subscriptionEndKind } from '../../shared/ipc/ends-soon.ts';
import { offlineUntil } from '../offline-until.ts';
import { isOver } from './account-messages.ts';
import { planName } from './format.ts';
import type { Translate } from './messages.ts';

export type Upcoming = {
  readonly kind: 'check' | 'retry' | 'renewal' | 'offline-end' | 'subscription' | 'reminder' | 'place';
  /** `null`: with the next check, whenever that is. */
  readonly at: string | null;
  readonly text: string;
  /** What would change it; `null` if nothing would. */
  readonly detail: string | null;
};

type Known = Pick<
  AppState,
  'heartbeat' | 'session' | 'server' | 'license' | 'lease' | 'places' | 'settings' | 'clockAheadMs'
>;

/** Returns what is ahead, the nearest first. All times are by the server's clock; `now` is in ms since 1970. */
export function upcoming(app: Known, now: number, t: Translate): readonly Upcoming[] {
  const found = [
    ...nextCheck(app, t),
    ...leaseRenewal(app, now, t),
    ...offlineEnd(app, t),
    ...subscriptionEvents(app, now, t),
    ...freePlaces(app, t),
  ];
  const isAhead = ({ kind, at }: Upcoming) => kind === 'check' || kind === 'retry' || !isPast(at, now);
  const timeOf = ({ at }: Upcoming) => Date.parse(at ?? nextCheckAt(app) ?? '') || now;
  return found.filter(isAhead).sort((one, other) => timeOf(one) - timeOf(other));
}

function isPast(at: string | null, now: number): boolean {
  return at !== null && Date.parse(at) <= now;
}

/** The only time that is by this machine's clock. */
function nextCheckAt({ heartbeat: { nextAt }, clockAheadMs = 0 }: Known): string | null {
  return nextAt === null ? null : new Date(Date.parse(nextAt) - clockAheadMs).toISOString();
}

/** None during a check, and while nobody is signed in. */
function nextCheck(app: Known, t: Translate): readonly Upcoming[] {
  const { session, server } = app;
  const nextAt = nextCheckAt(app);
  if (nextAt === null || session.kind !== 'signed-in') return [];
  const isOffline = server.reachability.kind === 'offline';
  const [kind, text] = isOffline
    ? (['retry', t('upcoming.retry')] as const)
    : (['check', t('upcoming.check')] as const);
  return [{ kind, at: nextAt, text, detail: null }];
}

function leaseRenewal(app: Known, now: number, t: Translate): readonly Upcoming[] {
  const { lease, session } = app;
  const isRenewed = lease.state === 'good' && session.kind === 'signed-in' && offlineUntil(app) !== null;
  if (!isRenewed || lease.renewAfter === null) return [];
  const at = isPast(lease.renewAfter, now) ? null : lease.renewAfter;
  return [{ kind: 'renewal', at, text: t('upcoming.renewal'), detail: null }];
}

function offlineEnd(app: Known, t: Translate): readonly Upcoming[] {
  const at = offlineUntil(app);
  if (at === null) return [];
  const detail = t(app.session.kind === 'signed-in' ? 'upcoming.unlessReached' : 'upcoming.unlessSignedIn');
  return [{ kind: 'offline-end', at, text: t('upcoming.offlineEnd'), detail }];
}

/** How the period of the subscription ends, and when the user asked to be reminded of that. */
function subscriptionEvents({ session, settings }: Known, now: number, t: Translate): readonly Upcoming[] {
  const subscription = session.kind === 'signed-in' ? (session.account?.subscription ?? null) : null;
  if (subscription === null || isOver(subscription, now)) return [];
  const { current_period_end: at } = subscription;
  const plan = planName(subscription.plan, t);
  if (renewsAtEnd(subscription)) {
    return [{ kind: 'subscription', at, text: t('upcoming.renews', { plan }), detail: null }];
  }
  const kind = subscriptionEndKind(subscription);
  const text = t(kind === 'trial' ? 'upcoming.trialEnds' : 'upcoming.ends', { plan });
  const detail = kind === 'payment' ? t('upcoming.unlessPaid') : null;
  const { remindAt } = settings;
  const isReminded = remindAt !== undefined && isPostponed({ kind, at }, remindAt, now);
  return [
    { kind: 'subscription', at, text, detail },
    ...(isReminded ? [{ kind: 'reminder', at: remindAt, text: t('upcoming.reminder'), detail: null } as const] : []),
  ];
}

function freePlaces({ places }: Known, t: Translate): readonly Upcoming[] {
  return places.released.map(({ name, placeFreeAt }) => {
    const text = t('upcoming.place', { name: name || t('devices.unnamed') });
    return { kind: 'place', at: placeFreeAt, text, detail: null };
  });
}
