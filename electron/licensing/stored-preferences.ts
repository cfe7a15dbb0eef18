/** Holds the preferences of this run, and keeps what a person changes. */

import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import { settings } from '../../shared/ipc/settings.ts';
import { failureNow } from './failure.ts';
import type { Clock, Log, PlainStore } from './platform.ts';
import { loadPreferences, type Preferences, savePreferences } from './preferences.ts';

export type StoredPreferences = {
  readonly current: () => Preferences;
  readonly load: () => Promise<void>;
  /** In effect at once; a failure means that the next start will not know it. */
  readonly change: (change: Partial<Preferences>) => Promise<Done>;
};

export type StoredPreferencesParts = {
  readonly plain: PlainStore;
  readonly log: Log;
  readonly clock: Clock;
  readonly defaultAddress: string;
  readonly onChange: () => void;
};

/** The defaults, until they are loaded. */
export function createStoredPreferences(parts: StoredPreferencesParts): StoredPreferences {
  const { plain, log, clock, defaultAddress } = parts;
  let preferences: Preferences = { serverAddress: defaultAddress, settings: settings.parse({}) };
  return {
    current: () => preferences,
    load: async () => {
      preferences = await loadPreferences(plain, log, defaultAddress);
    },
    change: async (change) => {
      preferences = { ...preferences, ...change };
      parts.onChange();
      try {
        await savePreferences(plain, preferences, defaultAddress);
        return succeed(null);
      } catch {
        return fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The setting could not be kept.'));
      }
    },
  };
}
