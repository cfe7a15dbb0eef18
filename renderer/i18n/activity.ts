/** Filters, groups and colors the activity list. */
import type { ActivityEntry, ActivityKind } from '../../shared/ipc/app-state.ts';
import type { Tone } from '../components/Banner.tsx';
import { containsText } from './contains-text.ts';
import { describeCode } from './failure-message.ts';
import type { Translate } from './messages.ts';

/** Groups entries by local day in their order; each group has the time of its first entry. */
export function activityByDay(
  entries: readonly ActivityEntry[],
): readonly (readonly [string, readonly ActivityEntry[]])[] {
  const days = new Map<string, ActivityEntry[]>();
  for (const entry of entries) {
    const key = new Date(entry.at).toDateString();
    days.set(key, [...(days.get(key) ?? []), entry]);
  }
  return [...days.values()].map((group) => [group[0]?.at ?? '', group] as const);
}

const tones: Readonly<Record<ActivityKind, Tone>> = {
  'signed-in': 'good',
  'signed-out': 'unknown',
  'session-ended': 'blocked',
  'password-changed': 'good',
  'email-changed': 'good',
  'license-checked': 'good',
  'license-rejected': 'blocked',
  'license-unreadable': 'attention',
  'device-activated': 'good',
  'device-released': 'unknown',
  'device-renamed': 'good',
  'lease-imported': 'good',
  'lease-ended': 'blocked',
  heartbeat: 'good',
  'heartbeat-warning': 'attention',
  'went-offline': 'attention',
  'back-online': 'good',
  'api-key-generated': 'good',
  'api-key-revoked': 'blocked',
  'api-key-reported': 'blocked',
  'leaked-key-reported': 'good',
  'license-key-replaced': 'good',
  'installer-genuine': 'good',
  'installer-not-genuine': 'blocked',
  'history-exported': 'good',
};

/** Returns the color of an entry; its text conveys the same. */
export function activityTone(kind: ActivityKind): Tone {
  return tones[kind];
}

/** Returns the text after the kind of an entry; `null` if there is none. */
export function activityDetail({ kind, detail }: ActivityEntry, t: Translate): string | null {
  if (kind === 'license-checked') return detail === 'not-activated' ? t('features.notActivated') : null;
  return detail === null ? null : describeCode(detail, t);
}

/** Views of the list: `changes` excludes heartbeats, which are sent as often as every minute. */
export const activityViews = ['all', 'changes', 'problems'] as const;
export type ActivityView = (typeof activityViews)[number];

type Search = { readonly view: ActivityView; readonly query: string };

/** Returns the entries of a view whose displayed text matches the query. */
export function findActivity(
  entries: readonly ActivityEntry[],
  { view, query }: Search,
  t: Translate,
  locale: string,
): readonly ActivityEntry[] {
  const part = query.trim();
  const textOf = (entry: ActivityEntry) => `${t(`activity.kind.${entry.kind}`)} ${activityDetail(entry, t) ?? ''}`;
  return entries.filter((entry) => isInView(entry, view) && (part === '' || containsText(textOf(entry), part, locale)));
}

function isInView({ kind }: ActivityEntry, view: ActivityView): boolean {
  if (view === 'changes') return kind !== 'heartbeat';
  return view === 'all' || activityTone(kind) === 'attention' || activityTone(kind) === 'blocked';
}
