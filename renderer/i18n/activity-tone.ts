/** The colour of a line of activity. */
import type { ActivityKind } from '../../shared/ipc/app-state.ts';
import type { Tone } from './license-sentence.ts';

const tones: Readonly<Record<ActivityKind, Tone>> = {
  'signed-in': 'good',
  'signed-out': 'unknown',
  'session-ended': 'blocked',
  'license-checked': 'good',
  'license-refused': 'blocked',
  'device-activated': 'good',
  'device-released': 'unknown',
  heartbeat: 'good',
  'heartbeat-warning': 'attention',
  'went-offline': 'attention',
  'back-online': 'good',
  'api-key-generated': 'good',
  'installer-genuine': 'good',
  'installer-not-genuine': 'blocked',
  'history-exported': 'good',
};

/** Never the only sign: the words beside it say the same. */
export function activityTone(kind: ActivityKind): Tone {
  return tones[kind];
}
