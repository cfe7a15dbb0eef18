/** Describes the entries of the activity list. */
import type { ActivityEntry, ActivityKind } from '../../shared/ipc/app-state.ts';
import type { Tone } from '../components/Banner.tsx';
import type { ShownEntry } from './entries.ts';
import { describeCode } from './failure-message.ts';
import type { Translate } from './messages.ts';

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

/** Describes an entry; only heartbeats are routine. */
export function activityEntry(entry: ActivityEntry, t: Translate): ShownEntry {
  const { id, at, kind } = entry;
  return {
    id,
    at,
    tone: tones[kind],
    text: t(`activity.kind.${kind}`),
    detail: activityDetail(entry, t),
    isRoutine: kind === 'heartbeat',
  };
}

function activityDetail({ kind, detail }: ActivityEntry, t: Translate): string | null {
  if (kind === 'license-checked') return detail === 'not-activated' ? t('features.notActivated') : null;
  return detail === null ? null : describeCode(detail, t);
}
