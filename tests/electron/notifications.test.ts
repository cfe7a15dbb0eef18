/**
 * The user is notified of each new warning, of features that stop, of a session that ends by itself and of a new
 * version, and of nothing else.
 */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { messagesByLanguage } from '../../electron/i18n/messages.ts';
import type { BlockedReason, SignedOutReason } from '../../shared/ipc/app-state.ts';
import type { UpdateReason } from '../../shared/ipc/updates.ts';
import { sampleState } from './sample-state.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const shown = vi.hoisted(() => [] as { readonly body: string }[]);
const made = vi.hoisted(() => [] as WeakRef<object>[]);
vi.mock('electron', () => ({
  Notification: class {
    static isSupported = () => true;
    constructor(options: { readonly body: string }) {
      shown.push(options);
      made.push(new WeakRef(this));
    }
    on() {}
    show() {}
  },
}));
const { notificationsFor, showNotification } = await import('../../electron/notifications.ts');

const { en, de, ja } = messagesByLanguage;
const since = '2026-01-02T00:00:00.000Z';
const blocked = (reason: BlockedReason) => sampleState({ license: { kind: 'blocked', reason } });

describe('a notification', () => {
  it('is shown for a new warning', () => {
    const texts = notificationsFor(sampleState({ warnings: ['a'] }), sampleState({ warnings: ['b', 'a'] }), en);
    expect(texts).toMatchObject([{ title: 'License warning', body: 'warning b' }]);
  });

  it('is not shown for a warning before this device is activated, as at the first sign-in, but for one after it', () => {
    const license = { kind: 'not-activated' } as const;
    const warned = sampleState({ license, warnings: ['a'] });
    expect(notificationsFor(sampleState({ license }), warned, en)).toEqual([]);
    expect(notificationsFor(sampleState({ license }), sampleState({ warnings: ['a'] }), en)).toHaveLength(1);
  });

  it('is shown when the license becomes blocked, and again for another reason', () => {
    expect(notificationsFor(sampleState(), blocked('revoked'), en)).toHaveLength(1);
    expect(notificationsFor(blocked('revoked'), blocked('revoked'), en)).toHaveLength(0);
    expect(notificationsFor(blocked('revoked'), blocked('expired'), en)).toHaveLength(1);
  });

  it('is not shown at a start of the app with a license that was blocked before', () => {
    const starting = sampleState({ license: { kind: 'unknown' } });
    expect(notificationsFor(starting, blocked('revoked'), en)).toEqual([]);
  });

  it('is shown when features stop because the device was released elsewhere, not if the user released it here', () => {
    const released = (releasedElsewhere: boolean) =>
      sampleState({ license: { kind: 'not-activated' }, releasedElsewhere });
    expect(notificationsFor(sampleState(), released(true), en)).toEqual([
      {
        title: 'This device is no longer activated',
        body: 'It was released elsewhere, or another device took its place. Open Latchkey to activate it again.',
        place: 'devices',
      },
    ]);
    expect(notificationsFor(sampleState(), released(false), en)).toEqual([]);
    expect(notificationsFor(released(true), released(true), en)).toEqual([]);
  });

  it('is shown when features stop because the device was offline for too long, not at a start in that state', () => {
    const offline = sampleState({ license: { kind: 'offline', plan: 'standard', since, worksUntil: since } });
    const ended = sampleState({ license: { kind: 'offline-ended', since } });
    expect(notificationsFor(offline, ended, en)).toMatchObject([{ title: 'Offline for too long', place: 'overview' }]);
    expect(notificationsFor(sampleState({ license: { kind: 'unknown' } }), ended, en)).toEqual([]);
  });

  it('is shown when the session ends by itself, not when the user signs out', () => {
    const signedOut = (reason?: SignedOutReason) => sampleState({ signedIn: false, signedOutReason: reason });
    expect(notificationsFor(sampleState(), signedOut('session-expired'), en)).toEqual([
      { title: 'You were signed out', body: 'Your session expired. Sign in again.' },
    ]);
    expect(notificationsFor(sampleState(), signedOut('session-revoked'), en)).toHaveLength(1);
    for (const reason of ['server-changed', undefined] as const)
      expect(notificationsFor(sampleState(), signedOut(reason), en)).toEqual([]);
    expect(notificationsFor(signedOut(), signedOut('session-expired'), en)).toEqual([]);
  });

  it('is not shown for being offline, a warning that ends, or a license that works again', () => {
    const offline = sampleState({ license: { kind: 'offline', plan: 'standard', since, worksUntil: since } });
    expect(notificationsFor(sampleState(), offline, en)).toEqual([]);
    expect(notificationsFor(sampleState({ warnings: ['a'] }), sampleState(), en)).toEqual([]);
    expect(notificationsFor(blocked('revoked'), sampleState(), en)).toEqual([]);
  });

  it('is shown for a version that the user can install or download, and not for one that is installed another way', () => {
    const offer = (reason: UpdateReason | null) => sampleState({ updates: { available: '4.3.0', reason } });
    const text = {
      title: 'Latchkey 4.3.0',
      body: 'This new version is available under Installer.',
      place: 'installer',
      once: 'update 4.3.0',
    };
    expect(notificationsFor(sampleState(), offer(null), en)).toEqual([text]);
    expect(notificationsFor(sampleState(), offer('no-keys'), en)).toEqual([text]);
    expect(notificationsFor(sampleState(), offer('system-package'), en)).toEqual([]);
    expect(notificationsFor(offer('install-failed'), offer(null), en)).toEqual([]);
    expect(notificationsFor(offer(null), sampleState(), en)).toEqual([]);
  });

  it.each([
    ['en', en, 'License warning'],
    ['de', de, 'Warnung zu Ihrer Lizenz'],
    ['ja', ja, 'ライセンスに関する警告'],
  ] as const)('of a warning has its title in %s and the server’s own message', (_language, messages, title) => {
    expect(notificationsFor(sampleState(), sampleState({ warnings: ['a'] }), messages)).toMatchObject([
      { title, body: 'warning a' },
    ]);
  });

  it.each([
    ['revoked', 'Your license was revoked.', 'Ihre Lizenz wurde widerrufen.', 'ライセンスは取り消されました。'],
    ['expired', 'Your license has expired.', 'Ihre Lizenz ist abgelaufen.', 'ライセンスの有効期限が切れています。'],
    ['suspended', 'Your license is suspended.', 'Ihre Lizenz ist gesperrt.', 'ライセンスは一時停止されています。'],
    [
      'subscription-ended',
      'Your subscription ended.',
      'Ihr Abonnement ist beendet.',
      'サブスクリプションは終了しました。',
    ],
    [
      'not-found',
      'The server no longer recognizes your license.',
      'Der Server kennt Ihre Lizenz nicht mehr.',
      'サーバーがこのライセンスを認識しません。',
    ],
  ] as const)('of a blocked license (%s) is in each language', (reason, ...bodies) => {
    const shown = [en, de, ja].map((messages) => notificationsFor(sampleState(), blocked(reason), messages)[0]?.body);
    expect(shown).toEqual(bodies);
  });
});

it('a notification can be clicked as long as it is there: Electron drops the listeners of one that nothing refers to', async () => {
  showNotification({ title: 'License warning', body: 'warning' }, () => {});
  const notification = made.at(-1);
  // Until the next turn, a new weak reference keeps its target.
  await setImmediate();
  collectGarbage();
  expect(notification?.deref()).toBeDefined();
});

describe('markup in the text of a notification', () => {
  const text = { title: 'License warning', body: '<a href="https://evil.example">Sign in</a> & <img src="x">' };

  function show(platform: NodeJS.Platform, electronVersion: string | undefined): string | undefined {
    const { platform: before, versions } = process;
    Object.defineProperty(process, 'platform', { value: platform });
    Object.defineProperty(process, 'versions', { value: { ...versions, electron: electronVersion } });
    shown.length = 0;
    try {
      showNotification(text, () => {});
    } finally {
      Object.defineProperty(process, 'platform', { value: before });
      Object.defineProperty(process, 'versions', { value: versions });
    }
    return shown[0]?.body;
  }

  it('is escaped on Linux, which would render its links and images', () => {
    expect(show('linux', '42.0.0')).toBe(
      '&lt;a href="https://evil.example"&gt;Sign in&lt;/a&gt; &amp; &lt;img src="x"&gt;',
    );
  });

  it('is left as the server wrote it on other systems, and in the terminal of the browser host', () => {
    expect(show('win32', '42.0.0')).toBe(text.body);
    expect(show('linux', undefined)).toBe(text.body);
  });
});
