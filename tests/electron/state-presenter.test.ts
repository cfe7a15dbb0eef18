/** The tray, the menu, notifications and start at login follow the state, in the language of the settings. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesByLanguage } from '../../electron/i18n/messages.ts';
import type { AccountState } from '../../shared/ipc/app-state.ts';
import { languages } from '../../shared/ipc/language.ts';
import { createFakePlatform } from './fake-platform.ts';
import { sampleState } from './sample-state.ts';

type Item = Electron.MenuItemConstructorOptions;

const electron = vi.hoisted(() => {
  class Tray {
    static readonly toolTips: string[] = [];
    static readonly menus: Item[][] = [];
    static readonly images: object[] = [];
    on() {}
    setImage(image: object) {
      Tray.images.push(image);
    }
    setToolTip(text: string) {
      Tray.toolTips.push(text);
    }
    setContextMenu(menu: Item[]) {
      Tray.menus.push(menu);
    }
  }
  class Notification {
    static readonly shown: object[] = [];
    static readonly clicks: (() => void)[] = [];
    static readonly isSupported = () => true;
    readonly options: object;
    constructor(options: object) {
      this.options = options;
    }
    on(_click: string, listener: () => void) {
      Notification.clicks.push(listener);
    }
    show() {
      Notification.shown.push(this.options);
    }
  }
  return {
    Tray,
    Notification,
    app: {
      isPackaged: false,
      getName: () => 'Latchkey',
      quit: () => {},
      setBadgeCount: vi.fn<(count: number) => boolean>(),
    },
    Menu: { buildFromTemplate: (template: Item[]) => template, setApplicationMenu: vi.fn<(menu: Item[]) => void>() },
    nativeImage: { createFromDataURL: (url: string) => ({ url }) },
    nativeTheme: { themeSource: 'system' },
  };
});
vi.mock('electron', () => electron);
const applyStartAtLogin = vi.hoisted(() => vi.fn(async () => {}));
vi.mock('../../electron/start-at-login.ts', () => ({ applyStartAtLogin }));
const { AppTray } = await import('../../electron/tray.ts');
const { StatePresenter } = await import('../../electron/state-presenter.ts');

const { Tray, Notification, Menu, nativeTheme, app } = electron;
const { de } = messagesByLanguage;
const worksThroughLease = { kind: 'works', plan: 'standard', until: null, worksUntil: null } as const;
const now = Date.parse('2026-03-02T12:00:00Z');
const hour = 3_600_000;

beforeEach(() => {
  vi.clearAllMocks();
  announced.clear();
  for (const list of [Tray.toolTips, Tray.menus, Tray.images, Notification.shown, Notification.clicks]) list.length = 0;
});

const actions = { checkNow: vi.fn(), openSettings: vi.fn() };
const opened = { reveal: vi.fn(), openPlace: vi.fn() };

/** The notifications that earlier starts of the app announced. */
const announced = new Set<string>();

function createPresenter(systemLocale = 'en-US') {
  const { log } = createFakePlatform();
  const menu = { ...actions, checkForUpdates: () => {}, showShortcuts: () => {}, openHelp: () => {} };
  return new StatePresenter({ ...opened, menu, tray: AppTray.create(), announced, systemLocale, now: () => now, log });
}

/** Every item below the top level that is not a separator. */
const itemsOf = (menu: readonly Item[] = []) =>
  menu.flatMap(({ submenu }) => submenu as Item[]).filter(({ type }) => type !== 'separator');

const lastMenu = () => Menu.setApplicationMenu.mock.calls.at(-1)?.[0];

describe('the tray', () => {
  const labels = () => Tray.menus.at(-1)?.map((item) => item.label);
  const item = (label: string) => Tray.menus.at(-1)?.find((each) => each.label === label);

  it.each([
    [sampleState(), 'Everything works', []],
    [sampleState({ warnings: ['a'] }), 'Unusual activity on your device', []],
    [sampleState({ license: { kind: 'blocked', reason: 'revoked' }, warnings: ['a'] }), 'The license is not valid', []],
    [sampleState({ license: { kind: 'not-activated' } }), 'This device is not activated', ['Activate This Device…']],
    [sampleState({ signedIn: false }), 'Signed out', []],
    [
      sampleState({ signedIn: false, signedOutReason: 'session-expired', license: worksThroughLease }),
      'Signed out, everything works',
      [],
    ],
  ])('shows the current state, and what the user can do about it', (state, label, remedy) => {
    createPresenter().present(state);
    expect(Tray.toolTips).toEqual([`Latchkey: ${label}`]);
    const actions = ['Open Latchkey', ...remedy, 'Check Now', 'Settings…'];
    expect(labels()).toEqual([label, undefined, ...actions, undefined, 'Quit']);
  });

  it('opens the screens where the device is activated and a new version is installed', () => {
    const presenter = createPresenter();
    presenter.present(sampleState({ license: { kind: 'no-license' } }));
    presenter.present(sampleState({ license: { kind: 'no-license' }, updates: { available: '4.3.0' } }));
    for (const label of ['Activate This Device…', 'New Version: 4.3.0']) {
      (item(label)?.click as (() => void) | undefined)?.();
    }
    expect(opened.openPlace.mock.calls).toEqual([['devices'], ['installer']]);
  });

  it('opens no screen while the window shows the sign-in', () => {
    const updates = { available: '4.3.0' };
    createPresenter().present(sampleState({ signedIn: false, license: { kind: 'unknown' }, updates }));
    expect(item('New Version: 4.3.0')).toBeUndefined();
  });

  it('shows when a subscription ends, in the last days and only if it does not renew', () => {
    const account = (cancel_at_period_end: boolean) => {
      const current_period_end = new Date(now + 3 * 24 * hour).toISOString();
      const subscription = { status: 'active', cancel_at_period_end, current_period_end };
      return { subscription } as unknown as AccountState;
    };
    createPresenter('en-GB').present(sampleState({ account: account(true) }));
    expect(labels()?.[1]).toBe('Subscription ends: 5 March');
    createPresenter('en-GB').present(sampleState({ account: account(false) }));
    expect(labels()?.[1]).toBeUndefined();
  });

  it('says that a payment has failed, or that a trial ends', () => {
    const withStatus = (status: string) => {
      const current_period_end = new Date(now + 6 * 24 * hour).toISOString();
      const subscription = { status, cancel_at_period_end: false, current_period_end };
      return sampleState({ account: { subscription } as unknown as AccountState });
    };
    createPresenter('en-GB').present(withStatus('past_due'));
    expect(labels()?.[1]).toBe('Payment failed, subscription ends: 8 March');
    createPresenter('en-GB').present(withStatus('trialing'));
    expect(labels()?.[1]).toBe('Trial ends: 8 March');
  });

  it('has a dot on its icon while the user’s action is needed, whether or not notifications are turned on', () => {
    const presenter = createPresenter();
    const blocked = { kind: 'blocked', reason: 'revoked' } as const;
    presenter.present(sampleState());
    presenter.present(sampleState({ license: blocked }));
    presenter.present(sampleState({ license: blocked, settings: { notifications: false } }));
    presenter.present(sampleState());
    const icons = Tray.images.map((image) => (image as { url: string }).url);
    expect(icons).toHaveLength(2);
    expect(icons[0]).not.toBe(icons[1]);
  });

  it('is not updated if nothing in it changes', () => {
    const presenter = createPresenter();
    presenter.present(sampleState());
    presenter.present(sampleState());
    expect(Tray.menus).toHaveLength(1);
  });

  it('shows until when everything works offline, in the language of the window', () => {
    const worksUntil = new Date(now + 9 * 24 * hour).toISOString();
    const license = { kind: 'works', plan: 'standard', until: null, worksUntil } as const;
    createPresenter('en-GB').present(sampleState({ license }));
    expect(labels()?.[1]).toBe('Works offline until: 11 March');
    createPresenter('en-GB').present(sampleState({ license, settings: { language: 'de' } }));
    expect(labels()?.[1]).toBe('Offline nutzbar bis: 11. März');
  });

  it('checks the license and opens the settings, unless nobody is signed in', () => {
    const presenter = createPresenter();
    presenter.present(sampleState());
    for (const [label, act] of [
      ['Check Now', actions.checkNow],
      ['Settings…', actions.openSettings],
    ] as const) {
      expect(item(label)).toMatchObject({ enabled: true, click: act });
    }
    presenter.present(sampleState({ signedIn: false, license: { kind: 'unknown' } }));
    expect(item('Check Now')).toMatchObject({ enabled: false });
    expect(item('Settings…')).toMatchObject({ enabled: false });
  });
});

describe('a change of language', () => {
  it('relabels the tray and the menu immediately', () => {
    const presenter = createPresenter();
    presenter.present(sampleState());
    expect(lastMenu()?.map(({ label }) => label)).toEqual(['File', 'Edit', 'View', 'Window', 'Help']);
    presenter.present(sampleState({ settings: { language: 'de' } }));
    expect(lastMenu()?.map(({ label }) => label)).toEqual(['Datei', 'Bearbeiten', 'Ansicht', 'Fenster', 'Hilfe']);
    expect(Tray.toolTips.at(-1)).toBe('Latchkey: Alles funktioniert');
    expect(Tray.menus.at(-1)?.at(-1)?.label).toBe('Beenden');
  });

  it('makes later notifications use that language', () => {
    const presenter = createPresenter();
    presenter.present(sampleState());
    presenter.present(sampleState({ settings: { language: 'ja' }, license: { kind: 'blocked', reason: 'expired' } }));
    expect(Notification.shown).toEqual([{ title: 'Latchkey', body: 'ライセンスの有効期限が切れています。' }]);
  });

  it('is not needed if the system’s language is used', () => {
    createPresenter('de-CH').present(sampleState());
    expect(Tray.toolTips).toEqual([`Latchkey: ${de.tray.works}`]);
  });
});

describe('the menu', () => {
  it.each(languages)('has a label in %s for every item', (language) => {
    createPresenter().present(sampleState({ settings: { language } }));
    const labels = Object.values(messagesByLanguage[language].menu);
    const items = itemsOf(lastMenu());
    expect(items.map(({ label }) => label).filter((label) => !labels.includes(label ?? ''))).toEqual([]);
    expect(items.map(({ role }) => role)).toEqual(expect.arrayContaining(['quit', 'undo', 'copy', 'paste', 'zoomIn']));
  });

  it('is set once per language', () => {
    const presenter = createPresenter();
    for (const warnings of [[], ['a'], []]) presenter.present(sampleState({ warnings }));
    expect(Menu.setApplicationMenu).toHaveBeenCalledOnce();
  });

  it('opens no screen while the window shows the sign-in', () => {
    const presenter = createPresenter();
    const settings = () => itemsOf(lastMenu()).find(({ label }) => label === 'Settings…');
    presenter.present(sampleState({ signedIn: false, license: { kind: 'unknown' } }));
    expect(settings()).toMatchObject({ enabled: false });
    presenter.present(sampleState());
    expect(settings()).toMatchObject({ enabled: true });
  });
});

describe('a new version', () => {
  it('is announced once, even if a check in between does not find it', () => {
    const presenter = createPresenter();
    const offered = (available: string | null) => presenter.present(sampleState({ updates: { available } }));
    for (const available of [null, '4.3.0', '4.3.0', null, '4.3.0', '4.4.0']) offered(available);
    expect(Notification.shown).toMatchObject([{ title: 'Latchkey 4.3.0' }, { title: 'Latchkey 4.4.0' }]);
  });
});

describe('an approaching end of offline use', () => {
  const offline = (hours: number) => {
    const worksUntil = new Date(now + hours * hour).toISOString();
    return sampleState({ license: { kind: 'offline', plan: 'standard', since: '2026-03-01T00:00:00Z', worksUntil } });
  };

  it('is announced once, again if the date moves, and opens the screen where it can be renewed', () => {
    const presenter = createPresenter('en-GB');
    presenter.present(sampleState());
    for (const state of [offline(72), offline(40), sampleState(), offline(40), offline(41)]) presenter.present(state);
    expect(Notification.shown).toHaveLength(2);
    expect(Notification.shown[0]).toMatchObject({ title: expect.stringMatching(/^Works offline until: .*4 March/) });
    Notification.clicks[0]?.();
    expect(opened.openPlace.mock.calls).toEqual([['devices']]);
  });

  it('is announced in the language of the window', () => {
    const presenter = createPresenter('en-GB');
    presenter.present(sampleState());
    const state = offline(40);
    presenter.present({ ...state, settings: { ...state.settings, language: 'de' } });
    expect(Notification.shown).toMatchObject([
      { title: expect.stringMatching(/^Offline nutzbar bis: Mittwoch, 4. März/) },
    ]);
  });
});

describe('the end of a subscription', () => {
  it('is announced again when the user wants to be reminded, not before', () => {
    const current_period_end = new Date(now + 3 * 24 * hour).toISOString();
    const subscription = { status: 'active', cancel_at_period_end: true, current_period_end };
    const account = { subscription } as unknown as AccountState;
    const presenter = createPresenter('en-GB');
    const present = (remindAt?: string) =>
      presenter.present(sampleState({ account, settings: remindAt === undefined ? {} : { remindAt } }));
    present();
    present();
    expect(Notification.shown).toHaveLength(1);
    present(new Date(now + 24 * hour).toISOString());
    expect(Notification.shown).toHaveLength(1);
    for (const _again of [1, 2]) present(new Date(now).toISOString());
    expect(Notification.shown).toHaveLength(2);
    // A clock that was wrong when the user asked must not silence it.
    present(new Date(now + 365 * 24 * hour).toISOString());
    expect(Notification.shown).toHaveLength(3);
  });
});

describe('a failed payment', () => {
  const withStatus = (status: string) => {
    const current_period_end = new Date(now + 30 * 24 * hour).toISOString();
    const subscription = { status, cancel_at_period_end: false, current_period_end };
    return sampleState({ account: { subscription } as unknown as AccountState });
  };

  it('is announced once for each period, however often the server repeats it', () => {
    for (const _start of [1, 2]) {
      const presenter = createPresenter('en-GB');
      for (const status of ['active', 'past_due', 'active', 'past_due']) presenter.present(withStatus(status));
    }
    expect(Notification.shown).toEqual([
      {
        title: 'Payment failed, subscription ends: Wednesday 1 April',
        body: 'Check your payment method before then to keep what it includes.',
      },
    ]);
  });
});

describe('a warning of the server', () => {
  it('is not announced again by a restart on the same day, but a different one is', () => {
    for (const warning of ['a', 'a', 'b']) {
      const presenter = createPresenter();
      presenter.present(sampleState());
      presenter.present(sampleState({ warnings: [warning] }));
    }
    expect(Notification.shown).toMatchObject([{ body: 'warning a' }, { body: 'warning b' }]);
  });
});

describe('a warning that the server rewords with each sync', () => {
  it('is announced as a warning and once as reworded, on the same day', () => {
    const presenter = createPresenter();
    for (const warnings of [[], ['a'], ['b'], ['c'], ['d']]) presenter.present(sampleState({ warnings }));
    expect(Notification.shown).toMatchObject([{ body: 'warning a' }, { body: 'warning b' }]);
  });
});

describe('a restart of the app', () => {
  const ending = () => {
    const worksUntil = new Date(now + 40 * hour).toISOString();
    const license = { kind: 'offline', plan: 'standard', since: '2026-03-01T00:00:00Z', worksUntil } as const;
    return sampleState({ license, updates: { available: '4.3.0' } });
  };

  it('does not repeat the announcement of an approaching end or of a new version', () => {
    for (const _start of [1, 2]) {
      const presenter = createPresenter();
      presenter.present(sampleState());
      presenter.present(ending());
    }
    expect(Notification.shown).toHaveLength(2);
  });
});

describe('the icon of the app', () => {
  const shown = () => app.setBadgeCount.mock.calls.map(([count]) => count);

  it('shows the number of problems that need the user’s action, and nothing once they are solved', () => {
    const presenter = createPresenter();
    presenter.present(sampleState());
    presenter.present(sampleState({ warnings: ['a'] }));
    presenter.present(sampleState({ warnings: ['a'], license: { kind: 'blocked', reason: 'revoked' } }));
    presenter.present(sampleState({ license: { kind: 'offline-ended', since: '2026-03-01T00:00:00Z' } }));
    presenter.present(sampleState({ license: { kind: 'not-activated' } }));
    presenter.present(sampleState({ license: { kind: 'not-activated' }, releasedElsewhere: true }));
    expect(shown()).toEqual([1, 2, 1, 0, 1]);
  });

  it('counts a session that ended by itself and a lease that is refused, not a sign-out or waiting for a lease', () => {
    const presenter = createPresenter();
    const waiting = { kind: 'waiting-for-lease' } as const;
    presenter.present(sampleState());
    presenter.present(sampleState({ signedIn: false, signedOutReason: 'session-expired' }));
    presenter.present(sampleState({ signedIn: false }));
    presenter.present(sampleState({ license: waiting, lease: { problem: 'wrong_signature' } }));
    presenter.present(sampleState({ license: waiting }));
    expect(shown()).toEqual([1, 0, 1, 0]);
  });

  it('has no number if notifications are turned off', () => {
    const presenter = createPresenter();
    presenter.present(sampleState());
    presenter.present(sampleState({ warnings: ['a'], settings: { notifications: false } }));
    expect(shown()).toEqual([]);
    presenter.present(sampleState({ warnings: ['a'] }));
    expect(shown()).toEqual([1]);
  });
});

describe('closing the window while the app keeps running', () => {
  it('is explained once, in the language of the window, and shows the window on a click', () => {
    const presenter = createPresenter();
    presenter.present(sampleState({ settings: { language: 'de' } }));
    presenter.announceHidden();
    presenter.announceHidden();
    const afterRestart = createPresenter();
    afterRestart.present(sampleState());
    afterRestart.announceHidden();
    expect(Notification.shown).toMatchObject([{ title: 'Latchkey läuft weiter' }]);
    Notification.clicks[0]?.();
    expect(opened.reveal).toHaveBeenCalledOnce();
  });

  it('is explained only once notifications are turned on', () => {
    const presenter = createPresenter();
    presenter.present(sampleState({ settings: { notifications: false } }));
    presenter.announceHidden();
    expect(Notification.shown).toEqual([]);
    presenter.present(sampleState());
    presenter.announceHidden();
    expect(Notification.shown).toHaveLength(1);
  });
});

describe('notifications that are turned off', () => {
  it('are not shown, and one that still applies is shown once they are turned on again', () => {
    const presenter = createPresenter();
    const off = { notifications: false };
    const worksUntil = new Date(now + hour).toISOString();
    const license = { kind: 'offline', plan: 'standard', since: worksUntil, worksUntil } as const;
    presenter.present(sampleState({ settings: off }));
    presenter.present(sampleState({ settings: off, warnings: ['a'], license: { kind: 'blocked', reason: 'revoked' } }));
    presenter.present(sampleState({ settings: off, license }));
    expect(Notification.shown).toEqual([]);
    presenter.present(sampleState({ license }));
    expect(Notification.shown).toHaveLength(1);
  });
});

describe('a click on a notification', () => {
  it('shows the window, and for a new version the screen to install it from', () => {
    const presenter = createPresenter();
    presenter.present(sampleState());
    presenter.present(sampleState({ updates: { available: '4.3.0' } }));
    presenter.present(sampleState({ updates: { available: '4.3.0' }, warnings: ['a'] }));
    for (const click of Notification.clicks) click();
    expect(opened.openPlace.mock.calls).toEqual([['installer']]);
    expect(opened.reveal).toHaveBeenCalledOnce();
  });
});

describe('the first state', () => {
  it('causes no notification and does not touch start at login, since the settings are not loaded yet', () => {
    const presenter = createPresenter();
    presenter.present(sampleState({ license: { kind: 'blocked', reason: 'revoked' } }));
    expect(Notification.shown).toEqual([]);
    expect(applyStartAtLogin).not.toHaveBeenCalled();
    presenter.present(sampleState({ license: { kind: 'blocked', reason: 'revoked' } }));
    presenter.present(sampleState({ settings: { startAtLogin: true, theme: 'dark' } }));
    expect(applyStartAtLogin.mock.calls).toEqual([[false], [true]]);
    expect(nativeTheme.themeSource).toBe('dark');
  });
});
