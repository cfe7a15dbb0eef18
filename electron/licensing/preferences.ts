/** What a person has set: the server's address and the settings, kept in the plain store. */
import { z } from 'zod';
import { type Settings, settings } from '../../shared/ipc/settings.ts';
import type { Log, PlainStore } from './platform.ts';
import { normaliseServerAddress } from './server-address.ts';

const storeName = 'preferences';

export type Preferences = { readonly serverAddress: string; readonly settings: Settings };

const preferencesDocument = z.object({
  version: z.literal(1),
  serverAddress: z.string().nullable().catch(null),
  settings: z.unknown(),
});

/** What was kept; a setting that is missing or wrong has its default. */
export async function loadPreferences(plain: PlainStore, log: Log, defaultAddress: string): Promise<Preferences> {
  const defaults = { serverAddress: defaultAddress, settings: settings.parse({}) };
  const read = await plain.read(storeName);
  if (read.kind === 'absent') return defaults;
  const document = read.kind === 'value' ? parseDocument(read.value) : null;
  if (!document) {
    log.warn('the settings cannot be read; the defaults stand in');
    return defaults;
  }
  const serverAddress = normaliseServerAddress(document.serverAddress ?? '') ?? defaultAddress;
  return { serverAddress, settings: parseSettings(document.settings) };
}

/** Keeps them; rejects where the disk refuses. The default address is not kept, so that it can change. */
export function savePreferences(plain: PlainStore, preferences: Preferences, defaultAddress: string): Promise<void> {
  const { serverAddress, settings } = preferences;
  const ownAddress = serverAddress === defaultAddress ? null : serverAddress;
  return plain.write(storeName, JSON.stringify({ version: 1, serverAddress: ownAddress, settings }));
}

function parseSettings(input: unknown): Settings {
  const defaults = settings.parse({});
  const given: Record<string, unknown> = typeof input === 'object' && input !== null ? { ...input } : {};
  const sound = Object.entries(given).filter(
    ([key, value]) => settings.safeParse({ ...defaults, [key]: value }).success,
  );
  return settings.parse(Object.fromEntries(sound));
}

function parseDocument(text: string): z.infer<typeof preferencesDocument> | null {
  try {
    return preferencesDocument.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
