/** What a server sends becomes part of the app state only as far as the window can show it. */
import { expect, it } from 'vitest';
import { toAccountSessions, toPlaces } from '../../../shared/ipc/from-api.ts';

const at = '2026-01-02T03:04:05.000Z';
const device = { activation_id: 'a', key_preview: 'k', device_id: 'd', device_name: 'n', platform: 'p' };

it('lists as many sessions as our server sends, in the same order, and no more', () => {
  const sessions = Array.from({ length: 8000 }, (_, index) => ({
    session_id: `s${index}`,
    created_at: at,
    last_used_at: at,
    user_agent: '',
    current: index === 0,
  }));
  const shown = toAccountSessions(sessions);
  expect(shown).toHaveLength(200);
  expect(shown[0]).toEqual({ sessionId: 's0', client: '', createdAt: at, lastUsedAt: at, isThisSession: true });
  expect(shown.at(-1)).toMatchObject({ sessionId: 's199' });
});

it('shows only the places of released devices that are free first, and not every hint on new devices', () => {
  const released = Array.from({ length: 20_000 }, () => ({ ...device, released_at: at, place_free_at: at }));
  const hints = Array.from({ length: 60_000 }, () => ({ key_preview: 'k', remaining: 0, until: at }));
  const places = toPlaces({ activations: [], released_devices: released, new_devices: hints });
  expect(places.released).toHaveLength(200);
  expect(places.newDevices).toHaveLength(200);
});
