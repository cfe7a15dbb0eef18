/** What the server calls its features, in the user's language; the last known texts stay for the time offline. */
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
  /** In which the texts were asked for. */
  language: z.string(),
  features: z.array(featureText),
});
type Stored = Pick<z.infer<typeof featuresDocument>, 'serverAddress' | 'language' | 'features'>;

export type FeatureTextsDeps = {
  readonly api: ApiClient;
  readonly preferences: Preferences;
  readonly plain: PlainStore;
  readonly log: Log;
  readonly changes: ChangeNotifier;
  /** The language of the system, as a BCP 47 tag. */
  readonly systemLocale: string;
};

export class FeatureTexts {
  readonly #deps: FeatureTextsDeps;
  readonly #document: CachedDocument<z.infer<typeof featuresDocument>>;
  #stored: Stored | null = null;
  /** What was asked last since the start, so that it is not asked again in every sync. */
  #asked: { readonly of: string; readonly granted: readonly string[] } = { of: '', granted: [] };

  constructor(deps: FeatureTextsDeps) {
    this.#deps = deps;
    this.#document = new CachedDocument({ ...deps, name: 'features', schema: featuresDocument });
  }

  /** What the current server has told last; `null` if it has told nothing. */
  get current(): readonly FeatureText[] | null {
    return this.#stored?.serverAddress === this.#serverAddress ? this.#stored.features : null;
  }

  /** The features that this server has, as far as is known: without a server that tells them, those of the interface. */
  get names(): readonly string[] {
    return this.current?.map(({ name }) => name) ?? builtInFeatures;
  }

  async load(): Promise<void> {
    this.#stored = await this.#document.read();
  }

  /** Asks the server once for each language, again once it grants or withholds another feature, and if `isRequested`. */
  async loadIfDue(granted: readonly string[], isRequested: boolean): Promise<void> {
    const [serverAddress, language] = [this.#serverAddress, this.#language];
    const of = `${serverAddress} ${language}`;
    const isAsked = of === this.#asked.of && granted.every((name) => this.#asked.granted.includes(name));
    if (serverAddress === null || (isAsked && !isRequested)) return;
    const result = await this.#deps.api.call('features', { language });
    if (result.kind !== 'inconclusive') this.#asked = { of, granted };
    // A server that lacks the extension has the features of the interface.
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

  get #language(): string {
    const { preferences, systemLocale } = this.#deps;
    const { language } = preferences.current.settings;
    return language === 'system' ? systemLocale : language;
  }
}
