/** What an activation and an imported lease come to. */
import type { Device } from './app-state.ts';
import type { Failure } from './result.ts';

/** Whether this device can replace another one at the device limit. */
export type Replacement =
  /**
   * One of these: first those that are probably this device before it was reinstalled (`lookAlikes` has their activations),
   * then the longest unseen. None if all were released in the meantime.
   */
  | { readonly kind: 'devices'; readonly devices: readonly Device[]; readonly lookAlikes: readonly string[] }
  /** The list could not be loaded; activating again loads it again. */
  | { readonly kind: 'list-failed'; readonly failure: Failure }
  /** The server cannot list devices. */
  | { readonly kind: 'not-listed' }
  /** Replacing a device does not help before `placeFreeAt`. */
  | { readonly kind: 'wait' };

export type ActivationOutcome =
  | { readonly kind: 'activated'; readonly activations: number; readonly maxActivations: number }
  | {
      readonly kind: 'device-limit-reached';
      readonly maxActivations: number | null;
      /**
       * When the license has a place for this device, ISO 8601, where the server says so; after a replacement that was
       * refused, when that one is possible.
       */
      readonly placeFreeAt: string | null;
      readonly replacement: Replacement;
    };

/** What a lease says: which license it is about, and until when it works on which device. */
export type LeaseSummary = {
  readonly license: string;
  readonly plan: string;
  readonly deviceId: string;
  /** ISO 8601. */
  readonly expiresAt: string;
};
