/** How the activity list is filtered, grouped and colored. */
import type { ActivityEntry, ActivityKind } from '../../shared/ipc/app-state.ts';
import type { Tone } from '../components/Banner.tsx';
import { containsText } from './contains-text.ts';
import { describeCode } from './failure-message.ts';
import type { Translate } from './messages.ts';

/** Groups entries by local day and keeps their order; each group comes with the time of its first entry. */
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

/** The color of an entry; its text says the same. */
export function activityTone(kind: ActivityKind): Tone {
  return tones[kind];
}

/** What follows the kind of an entry; `null` if nothing does. */
export function activityDetail({ kind, detail }: ActivityEntry, t: Translate): string | null {
  if (kind === 'license-checked') return detail === 'not-activated' ? t('features.notActivated') : null;
  return detail === null ? null : describeCode(detail, t);
}

/** Which entries are shown: `changes` are all but heartbeats, of which there is one a minute. */
export const activityViews = ['all', 'changes', 'problems'] as const;
export type ActivityView = (typeof activityViews)[number];

type Search = { readonly view: ActivityView; readonly query: string };

/** The entries of a view whose text, as it is shown, has what is searched for. */
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
