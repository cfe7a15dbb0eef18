/** What the server says it offers, so that nothing else is shown; the last answer is kept for use offline. */
import { z } from 'zod';
import { type AboutResponse, aboutResponse } from '../../shared/api/about.ts';
import type { ServerOffers } from '../../shared/ipc/app-state.ts';
import { toServerOffers } from '../../shared/ipc/from-api.ts';
import type { ApiClient } from './api-client.ts';
import { CachedDocument } from './cached-document.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { Clock, Log, PlainStore } from './platform.ts';
import type { Preferences } from './preferences.ts';

const aboutDocument = z.object({ version: z.literal(1), serverAddress: z.string(), about: aboutResponse.nullable() });

type ServerAboutDeps = {
  readonly api: ApiClient;
  readonly preferences: Preferences;
  readonly plain: PlainStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly changes: ChangeNotifier;
};

/** A server rarely changes what it offers, and never without a restart. */
const refreshAfterMs = 60 * 60_000;
/** Delay after an attempt without an answer. */
const retryAfterMs = 60_000;

export class ServerAbout {
  readonly #deps: ServerAboutDeps;
  readonly #document: CachedDocument<z.infer<typeof aboutDocument>>;
  #stored: { readonly serverAddress: string; readonly about: AboutResponse | null } | null = null;
  /** Which server may be asked again, and when, in monotonic time. */
  #next: { readonly serverAddress: string; readonly atMs: number } | null = null;

  constructor(deps: ServerAboutDeps) {
    this.#deps = deps;
    this.#document = new CachedDocument({ ...deps, name: 'about', schema: aboutDocument });
  }

  /** The current server's offers; `null` if it does not say, or has not been asked yet. */
  get current(): ServerOffers | null {
    const { serverAddress } = this.#deps.preferences.current;
    if (this.#stored === null || this.#stored.serverAddress !== serverAddress) return null;
    return this.#stored.about && toServerOffers(this.#stored.about);
  }

  async load(): Promise<void> {
    this.#stored = await this.#document.read();
  }

  /**
   * Asks the server, unless it answered in the last hour or failed to in the last minute; `isRequested` asks anyway.
   */
  async refreshIfDue(isRequested = false): Promise<void> {
    const { api, preferences, clock } = this.#deps;
    const { serverAddress } = preferences.current;
    if (serverAddress === null) return;
    const isDue = this.#next?.serverAddress !== serverAddress || clock.monotonic() >= this.#next.atMs;
    if (!isDue && !isRequested) return;
    this.#next = { serverAddress, atMs: clock.monotonic() + retryAfterMs };
    const result = await api.call('about', { serverAddress });
    // The user may have chosen another server meanwhile.
    if (result.kind === 'inconclusive' || preferences.current.serverAddress !== serverAddress) return;
    this.#next = { serverAddress, atMs: clock.monotonic() + refreshAfterMs };
    await this.#record({ serverAddress, about: result.kind === 'success' ? result.response : null });
  }

  async #record(stored: { readonly serverAddress: string; readonly about: AboutResponse | null }): Promise<void> {
    const isNew = JSON.stringify(stored) !== JSON.stringify(this.#stored);
    this.#stored = stored;
    if (!isNew) return;
    this.#deps.changes.notify();
    await this.#document.write(stored);
  }
}
