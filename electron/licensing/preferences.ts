/** The user's preferences, in the plain store: the server's address and the settings. */
import { z } from 'zod';
import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import { type Settings, settings } from '../../shared/ipc/settings.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { failureNow } from './failure.ts';
import { fileProblemOf } from './file-problem.ts';
import type { Clock, Log, PlainStore } from './platform.ts';
import { normalizeServerAddress, requireServerAddress } from './server-address.ts';
import { readDocument } from './stored-document.ts';

const documentName = 'preferences';

/** `serverAddress` is `null` if there is no default and the user has chosen none. */
type PreferenceValues = { readonly serverAddress: string | null; readonly settings: Settings };

const preferencesDocument = z.object({
  version: z.literal(1),
  /** `null` means the default address, which may differ between versions. */
  serverAddress: z.string().nullable().catch(null),
  settings: z.unknown(),
});

type PreferencesDeps = {
  readonly plain: PlainStore;
  readonly log: Log;
  readonly clock: Clock;
  readonly changes: ChangeNotifier;
  readonly defaultServerAddress: string | null;
  /** Replaces both the default address and the user's choice; never stored. */
  readonly serverAddress?: string;
  /** System language as a BCP 47 tag. */
  readonly systemLocale: string;
};

export class Preferences {
  readonly #deps: PreferencesDeps;
  readonly #defaultAddress: string | null;
  /** The stored values, with the default address if the user has chosen none. */
  #chosen: PreferenceValues;
  #override: string | null;
  /** The stored document is unreadable or from a newer version: it is set aside before the first write. */
  #setAsideFirst = false;
  #storedAddressNotAllowed = false;

  /** Throws if an address is not allowed. */
  constructor(deps: PreferencesDeps) {
    this.#deps = deps;
    const { defaultServerAddress: address, serverAddress: override } = deps;
    this.#defaultAddress = address === null ? null : requireServerAddress(address, 'The default server address');
    this.#override = override === undefined ? null : requireServerAddress(override, 'The server address');
    this.#chosen = { serverAddress: this.#defaultAddress, settings: settings.parse({}) };
  }

  /** The defaults until loaded. */
  get current(): PreferenceValues {
    return { ...this.#chosen, serverAddress: this.#override ?? this.#chosen.serverAddress };
  }

  /** True if this run uses a server other than the stored or default one. */
  get isOverridden(): boolean {
    return this.#override !== null && this.#override !== this.#chosen.serverAddress;
  }

  /** True if the stored address is not allowed and the default is used instead. */
  get storedAddressNotAllowed(): boolean {
    return this.#storedAddressNotAllowed && this.#override === null;
  }

  /** True if the user has chosen no server, so that the address may differ between versions. */
  get isDefaultAddress(): boolean {
    const isDefault = this.#chosen.serverAddress === this.#defaultAddress && !this.#storedAddressNotAllowed;
    return isDefault && !this.isOverridden;
  }

  /** The user's language as a BCP 47 tag. */
  get language(): string {
    const { language } = this.#chosen.settings;
    return language === 'system' ? this.#deps.systemLocale : language;
  }

  /** Loads what is stored; a missing or invalid setting gets its default. */
  async load(): Promise<void> {
    const { plain, log } = this.#deps;
    const read = await readDocument(plain, documentName, preferencesDocument);
    this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);
    if (read.kind === 'unreadable') log.warn('the settings cannot be read; the defaults apply');
    if (read.kind !== 'value') return;
    const stored = read.value.serverAddress;
    const address = stored === null ? this.#defaultAddress : normalizeServerAddress(stored);
    this.#storedAddressNotAllowed = stored !== null && address === null;
    if (this.#storedAddressNotAllowed) log.warn('the stored server address is not allowed; the default one is used');
    this.#chosen = { serverAddress: address ?? this.#defaultAddress, settings: parseSettings(read.value.settings) };
  }

  /** Takes effect at once; fails with STORE_UNAVAILABLE if the change will be lost at the next start. */
  async change(change: Partial<PreferenceValues>): Promise<Done> {
    const { clock, changes } = this.#deps;
    if (change.serverAddress !== undefined) this.#override = null;
    this.#chosen = { ...this.#chosen, ...change };
    changes.notify();
    try {
      await this.#save();
      return succeed(null);
    } catch (error) {
      return fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The setting could not be stored.', fileProblemOf(error)));
    }
  }

  changeSettings(change: Partial<Settings>): Promise<Done> {
    return this.change({ settings: { ...this.#chosen.settings, ...change } });
  }

  async #save(): Promise<void> {
    const { plain } = this.#deps;
    if (this.#setAsideFirst) await plain.setAside(documentName);
    this.#setAsideFirst = false;
    const { serverAddress, settings } = this.#chosen;
    const ownAddress = serverAddress === this.#defaultAddress ? null : serverAddress;
    await plain.write(documentName, JSON.stringify({ version: 1, min_reader: 1, serverAddress: ownAddress, settings }));
  }
}

function parseSettings(input: unknown): Settings {
  const defaults = settings.parse({});
  const valid = Object.entries(Object(input)).filter(
    ([key, value]) => settings.safeParse({ ...defaults, [key]: value }).success,
  );
  return settings.parse(Object.fromEntries(valid));
}
