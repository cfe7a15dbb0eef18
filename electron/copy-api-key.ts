/** Puts the new API key on the clipboard, and takes it away after a minute if it is still there. */
import { clipboard } from 'electron';
import { type Done, fail, succeed } from '../shared/ipc/result.ts';
import type { Clock } from './licensing/platform.ts';

const keptForMs = 60_000;

/** Makes the command; `unsavedApiKey` tells the key that waits to be saved. */
export function createCopyApiKey(unsavedApiKey: () => string | null, clock: Clock): () => Promise<Done> {
  let cancelClearing = () => {};
  return async () => {
    const apiKey = unsavedApiKey();
    if (apiKey === null) {
      const at = new Date(clock.now()).toISOString();
      return fail({ code: 'INVALID_API_KEY', message: 'There is no new key to copy.', at });
    }
    await clipboard.writeText(apiKey);
    cancelClearing();
    cancelClearing = clock.setTimer(keptForMs, () => void clearIfUnchanged(apiKey));
    return succeed(null);
  };
}

async function clearIfUnchanged(apiKey: string): Promise<void> {
  try {
    if ((await clipboard.readText()) === apiKey) await clipboard.writeText('');
  } catch {
    // A clipboard that cannot be read is left alone: it may hold somebody else's text.
  }
}
