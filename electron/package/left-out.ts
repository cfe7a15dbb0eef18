/**
 * Replaces modules in the package, which stays small without updates of the app, the scan for leaked keys, the support
 * file, the timeline that it shows, the explanation of features, and the schema of an exported account.
 */
import { z } from 'zod';
import { fail } from '../../shared/ipc/result.ts';
import { noUpdates, type UpdatesState } from '../../shared/ipc/updates.ts';
import { failureNow } from '../licensing/failure.ts';
import type { LeakedKeys as RealLeakedKeys } from '../licensing/leaked-keys.ts';
import type { Clock } from '../licensing/platform.ts';
import type { Timeline as RealTimeline } from '../licensing/timeline.ts';
import type { Updates as RealUpdates, UpdatesDeps } from '../licensing/updates.ts';

type Public<Class> = Pick<Class, keyof Class>;

export class Updates implements Public<RealUpdates> {
  readonly state: UpdatesState;
  readonly downloadAddress = null;
  readonly #clock: Clock;

  constructor({ current, clock }: Pick<UpdatesDeps, 'current' | 'clock'>) {
    this.state = noUpdates(current);
    this.#clock = clock;
  }

  async load(): Promise<void> {}

  start(): void {}

  stop(): void {}

  cancel(): void {}

  check = async () => refuse(this.#clock);
  install = async () => refuse(this.#clock);
}

export class LeakedKeys implements Public<RealLeakedKeys> {
  readonly state = { kind: 'idle' } as const;
  readonly #clock: Clock;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  scan = async () => refuse(this.#clock);
  report = async () => refuse(this.#clock);

  cancel(): void {}

  forget(): void {}
}

export class Timeline implements Public<RealTimeline> {
  readonly entries = [];
  readonly connection = [];

  async load(): Promise<void> {}

  async stop(): Promise<void> {}

  recordKnown(): void {}

  addAnswer(): void {}

  addCommand(): void {}

  recordDecision(): void {}
}

/** No command of the package uses these three. */
export const accountExport = z.never();

export function formatSupportFile(): string {
  return '';
}

export function explainFeatures(): [] {
  return [];
}

function refuse(clock: Clock) {
  return fail(failureNow(clock, 'INTERNAL', 'The package latchkey-client does not offer this.'));
}
