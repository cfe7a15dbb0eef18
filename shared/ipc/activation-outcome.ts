/** Outcomes of activating a license and of importing a lease. */
import type { Device } from './app-state.ts';
import type { Failure } from './result.ts';

/** Whether this device can replace another one when the device limit is reached. */
export type Replacement =
  /**
   * Candidates to replace: first those that are probably this device before a reinstallation (`lookAlikes` has their
   * activations), then the longest unseen. Empty if all were released in the meantime.
   */
  | { readonly kind: 'devices'; readonly devices: readonly Device[]; readonly lookAlikes: readonly string[] }
  /** The list could not be loaded; activating again retries. */
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
       * When the license has a place for this device (ISO 8601), if the server says so; after a refused replacement,
       * when one becomes possible.
       */
      readonly placeFreeAt: string | null;
      readonly replacement: Replacement;
    };

/** What a lease covers: the license, the device, and until when. */
export type LeaseSummary = {
  readonly license: string;
  readonly plan: string;
  readonly deviceId: string;
  /** ISO 8601. */
  readonly expiresAt: string;
};
