/** A person is told once of each new warning and of a license that becomes blocked, and of nothing else. */
import { describe, expect, it } from 'vitest';
import { noticesBetween } from '../../electron/notices.ts';
import { traySentence } from '../../electron/tray-sentence.ts';
import type { AppState, LicenseState, Warning } from '../../shared/ipc/app-state.ts';

const since = '2026-01-02T00:00:00.000Z';
const warning = (id: string): Warning => ({ id, text: `warning ${id}`, since });
const works: LicenseState = { kind: 'works', plan: 'standard', until: null };
const revoked: LicenseState = { kind: 'blocked', reason: 'revoked' };

function state(license: LicenseState, warnings: Warning[] = [], signedIn = true): AppState {
  const session = signedIn ? { kind: 'signed-in', user: {}, account: null } : { kind: 'signed-out', reason: null };
  return { license, warnings, session } as unknown as AppState;
}

describe('a notice', () => {
  it('comes for a warning that was not there before', () => {
    const notices = noticesBetween(state(works, [warning('a')]), state(works, [warning('b'), warning('a')]));
    expect(notices.map(({ body }) => body)).toEqual(['warning b']);
  });

  it('comes when the license becomes blocked, and again for another reason', () => {
    expect(noticesBetween(state(works), state(revoked))).toHaveLength(1);
    expect(noticesBetween(state(revoked), state(revoked))).toHaveLength(0);
    expect(noticesBetween(state(revoked), state({ kind: 'blocked', reason: 'expired' }))).toHaveLength(1);
  });

  it('does not come for being offline, for a warning that ends, or for a license that works again', () => {
    const offline: LicenseState = { kind: 'offline', plan: 'standard', since, worksUntil: since };
    expect(noticesBetween(state(works), state(offline))).toEqual([]);
    expect(noticesBetween(state(works, [warning('a')]), state(works))).toEqual([]);
    expect(noticesBetween(state(revoked), state(works))).toEqual([]);
  });
});

describe('the tray', () => {
  it.each([
    [state(works), 'Everything works'],
    [state(works, [warning('a')]), 'Unusual activity on your device'],
    [state(revoked, [warning('a')]), 'The license does not work'],
    [state({ kind: 'not-activated' }), 'This device is not activated'],
    [state(works, [], false), 'Signed out'],
  ])('says what is true', (given, sentence) => {
    expect(traySentence(given)).toBe(sentence);
  });
});
