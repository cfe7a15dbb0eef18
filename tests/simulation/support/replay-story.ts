/** Tells the story of a replay: what happened when, and how the client reacted. */
import { clockToleranceMs } from '../../../electron/licensing/trusted-time.ts';
import type { AppState } from '../../../shared/ipc/app-state.ts';
import type { Step } from './replay-steps.ts';

export class ReplayStory {
  readonly lines: string[] = [];
  #license = '';
  #features = new Map<string, string>();

  tell(wallMs: number, text: string): void {
    this.lines.push(`${new Date(wallMs).toISOString().replace('T', ' ').slice(0, 19)}  ${text}`);
  }

  /** Tells what has changed in what the client shows since the last call. */
  tellChanges(wallMs: number, { license, features }: AppState): void {
    const shown = describeLicense(license);
    if (shown !== this.#license) this.tell(wallMs, `    license: ${shown}`);
    this.#license = shown;
    const changed = new Map<string, string[]>();
    for (const state of features) {
      const text = state.on ? 'on' : `off (${state.reason.kind})`;
      if (this.#features.get(state.feature) === text) continue;
      this.#features.set(state.feature, text);
      changed.set(text, [...(changed.get(text) ?? []), state.feature]);
    }
    for (const [text, names] of changed) this.tell(wallMs, `    ${text}: ${names.join(', ')}`);
  }
}

/** Describes a step in words. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'answer': {
      const { endpoint, outcome, code, times, last_at } = step.answer;
      if (step.isRepeated) return `${endpoint}: the last one of ${times}`;
      const more = times > 1 ? `, ${times} times until ${last_at.replace('T', ' ').slice(0, 19)}` : '';
      return `${endpoint}: ${outcome === 'success' ? 'answered' : `${outcome}, ${code}`}${more}`;
    }
    case 'command':
      return `the person: ${step.entry.command}, ${step.entry.outcome}`;
    case 'clock':
      return describeClock(step.entry.jumped_ms, step.entry.slept_ms ?? 0);
    case 'decision': {
      const { license, reason, features_on } = step.entry;
      return `the file says: ${reason ? `${license} (${reason})` : license}, ${features_on.length} features on`;
    }
    case 'sleep':
      return 'the machine sleeps';
    case 'wake':
      return 'the machine wakes, or its network is back';
    case 'stop':
      return 'the app ends';
  }
}

/** With a monotonic clock that does not count sleep, sleep looks like a change of the clock. */
function describeClock(jumpedMs: number, sleptMs: number): string {
  const setMs = jumpedMs - sleptMs;
  const isSet = Math.abs(setMs) > clockToleranceMs;
  const slept = `the machine was asleep for ${describeDuration(sleptMs)}`;
  if (!isSet) return slept;
  const set = `the clock was set ${setMs > 0 ? 'ahead' : 'back'} by ${describeDuration(Math.abs(setMs))}`;
  return sleptMs > 0 ? `${slept}, and ${set}` : set;
}

function describeDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

function describeLicense(license: AppState['license']): string {
  switch (license.kind) {
    case 'works':
      return `works with ${license.plan}`;
    case 'offline':
      return `offline, works with ${license.plan} until ${license.worksUntil}`;
    case 'blocked':
      return `blocked (${license.reason})`;
    default:
      return license.kind;
  }
}
