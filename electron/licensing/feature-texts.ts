/** The server's names for its features, in the user's language; the last known texts are kept for use offline. */
import { z } from 'zod';
import { type FeatureText, featureText, maxOwnFeatures } from '../../shared/api/features.ts';
import { builtInFeatures } from '../../shared/seeded-features.ts';
import type { ApiClient } from './api-client.ts';
import { CachedDocument } from './cached-document.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { Log, PlainStore } from './platform.ts';
import type { Preferences } from './preferences.ts';

const featuresDocument = z.object({
  version: z.literal(1),
  serverAddress: z.string(),
  /** Language of the texts. */
  language: z.string(),
  features: z.array(featureText),
});
type Stored = Pick<z.infer<typeof featuresDocument>, 'serverAddress' | 'language' | 'features'>;

type FeatureTextsDeps = {
  readonly api: ApiClient;
  readonly preferences: Preferences;
  readonly plain: PlainStore;
  readonly log: Log;
  readonly changes: ChangeNotifier;
};

export class FeatureTexts {
  readonly #deps: FeatureTextsDeps;
  readonly #document: CachedDocument<z.infer<typeof featuresDocument>>;
  #stored: Stored | null = null;
  /** What was last requested since the start, so that not every sync requests it again. */
  #asked: { readonly of: string; readonly granted: readonly string[] } = { of: '', granted: [] };

  constructor(deps: FeatureTextsDeps) {
    this.#deps = deps;
    this.#document = new CachedDocument({ ...deps, name: 'features', schema: featuresDocument });
  }

  /** The current server's last answer; `null` without one. */
  get current(): readonly FeatureText[] | null {
    return this.#stored?.serverAddress === this.#serverAddress ? this.#stored.features : null;
  }

  /** The language in which that was requested; `null` if nothing was. */
  get language(): string | null {
    return this.#stored?.language ?? null;
  }

  /** The features of this server, as far as is known; the built-in ones if it does not list them. */
  get names(): readonly string[] {
    return this.current?.map(({ name }) => name) ?? builtInFeatures;
  }

  async load(): Promise<void> {
    this.#stored = await this.#document.read();
  }

  /** Asks the server once per language, again when it grants or withholds another feature, and if `isRequested`. */
  async loadIfDue(granted: readonly string[], isRequested: boolean): Promise<void> {
    const [serverAddress, language] = [this.#serverAddress, this.#deps.preferences.language];
    const of = `${serverAddress} ${language}`;
    const isAsked = of === this.#asked.of && granted.every((name) => this.#asked.granted.includes(name));
    if (serverAddress === null || (isAsked && !isRequested)) return;
    const result = await this.#deps.api.call('features', { language });
    if (result.kind !== 'inconclusive') this.#asked = { of, granted };
    // A server without this extension has the built-in features.
    if (result.kind !== 'success') return;
    const features = result.response.features.slice(0, maxOwnFeatures);
    await this.#record({ serverAddress, language, features });
  }

  async #record(stored: Stored): Promise<void> {
    this.#stored = stored;
    this.#deps.changes.notify();
    await this.#document.write(stored);
  }

  get #serverAddress(): string | null {
    return this.#deps.preferences.current.serverAddress;
  }
}
