/** The API key of the account: generated once, shown until it is saved, afterwards only its prefix. */
import type { ApiKeyResponse } from '../../shared/api/api-key.ts';
import { previewApiKey } from '../../shared/formats/api-key.ts';
import type { ApiKeyOutcome } from '../../shared/ipc/ipc-schema.ts';
import { fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { SavedState } from './saved-state.ts';
import type { Session } from './session.ts';

export type ApiKey = {
  /** Generates the first key, replaces the key, or finds the prefix of the existing one. */
  readonly generate: (replace: boolean) => Promise<Result<ApiKeyOutcome>>;
  /** The key that waits to be saved by the person; only ever in memory. */
  readonly unsaved: () => string | null;
  readonly forgetUnsaved: () => void;
};

export type ApiKeyParts = {
  readonly session: Session;
  readonly saved: SavedState;
  readonly activity: ActivityLog;
  readonly onChange: () => void;
};

/** No key generated yet. */
export function createApiKey({ session, saved, activity, onChange }: ApiKeyParts): ApiKey {
  let unsaved: string | null = null;

  async function remember(answer: ApiKeyResponse, prefix: string): Promise<void> {
    const written = saved.update({ apiKey: { prefix, isLegacy: answer.is_legacy, createdAt: answer.created_at } });
    onChange();
    await written;
  }

  return {
    generate: async (replace) => {
      const outcome = await session.call('apiKey', { body: replace ? { regenerate: true } : {} });
      if (outcome.kind !== 'answer') return fail(outcome.failure);
      const { answer } = outcome;
      if ('api_key' in answer) {
        unsaved = answer.api_key;
        activity.add('api-key-generated', previewApiKey(answer.api_key));
        await remember(answer, previewApiKey(answer.api_key));
        return succeed({ kind: 'generated', apiKey: answer.api_key });
      }
      await remember(answer, answer.api_key_prefix);
      return succeed({ kind: 'existing', prefix: answer.api_key_prefix });
    },
    unsaved: () => unsaved,
    forgetUnsaved: () => {
      unsaved = null;
      onChange();
    },
  };
}
