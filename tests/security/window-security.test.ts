/** The window's page can only display itself: how main creates the window, and what it denies every page. */
import { beforeAll, expect, it, vi } from 'vitest';

type Listener = (...values: unknown[]) => void;

const electron = vi.hoisted(() => {
  const created: { options?: { readonly webPreferences: unknown }; loaded?: string } = {};
  const pages: Listener[] = [];
  const session: { request?: Listener; check?: () => boolean } = {};
  class BrowserWindow {
    readonly webContents = {};
    constructor(options: { readonly webPreferences: unknown }) {
      created.options = options;
    }
    on() {}
    once() {}
    async loadURL(url: string) {
      created.loaded = url;
    }
  }
  const modules = {
    BrowserWindow,
    app: { on: (_event: string, listener: Listener) => void pages.push(listener) },
    nativeTheme: { on() {}, shouldUseDarkColors: false },
    protocol: {},
    session: {
      defaultSession: {
        setPermissionRequestHandler: (handler: Listener) => void Object.assign(session, { request: handler }),
        setPermissionCheckHandler: (handler: () => boolean) => void Object.assign(session, { check: handler }),
      },
    },
  };
  return { created, pages, session, modules };
});
vi.mock('electron', () => electron.modules);
const { MainWindow } = await import('../../electron/windows/main-window.ts');
const { contentSecurityPolicy, denyNavigation, denyPermissions } = await import(
  '../../electron/windows/page-security.ts'
);

const ownPage = 'app://latchkey/index.html';

beforeAll(() => {
  const log = { info: () => undefined, warn: () => undefined };
  denyPermissions(log);
  denyNavigation(ownPage, log);
});

it.each([true, false])(
  'the window has exactly these preferences, and shows its own page (packaged: %s)',
  (packaged) => {
    const placement = { bounds: null, maximized: false };
    const ignore = () => {};
    const hooks = { screens: () => [], hidesOnClose: () => false, onForeground: ignore, onPlacement: ignore };
    new MainWindow({ preload: '/preload.cjs', placement, packaged, startHidden: false, ...hooks });
    expect(electron.created.options?.webPreferences).toStrictEqual({
      preload: '/preload.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: !packaged,
    });
    expect(electron.created.loaded).toBe('app://latchkey/index.html');
  },
);

it('every permission is denied, both when requested and when checked', () => {
  const answer = vi.fn();
  for (const permission of ['media', 'geolocation', 'notifications', 'openExternal', 'clipboard-read']) {
    electron.session.request?.({}, permission, answer);
  }
  expect(answer.mock.calls).toStrictEqual(Array.from({ length: 5 }, () => [false]));
  expect(electron.session.check?.()).toBe(false);
});

it('a page can load itself again, but not navigate, embed another one or open a window', () => {
  const listeners = new Map<string, Listener>();
  let openWindow: ((details: { url: string }) => unknown) | undefined;
  const contents = {
    on: (event: string, listener: Listener) => void listeners.set(event, listener),
    setWindowOpenHandler: (handler: typeof openWindow) => {
      openWindow = handler;
    },
  };
  for (const listener of electron.pages) listener({}, contents);
  const isPrevented = (event: string, url?: string) => {
    const preventDefault = vi.fn();
    listeners.get(event)?.({ preventDefault, url });
    return preventDefault.mock.calls.length > 0;
  };
  expect(isPrevented('will-attach-webview')).toBe(true);
  for (const url of ['https://example.com', `${ownPage}.evil`, `${ownPage}?a=b`, 'app://latchkey/other.html']) {
    expect(isPrevented('will-navigate', url), url).toBe(true);
  }
  for (const url of [ownPage, `${ownPage}#devices`]) expect(isPrevented('will-navigate', url), url).toBe(false);
  expect(openWindow?.({ url: 'https://example.com' })).toStrictEqual({ action: 'deny' });
});

it('the policy allows only the files of the app, and no requests', () => {
  expect(contentSecurityPolicy.split('; ')).toStrictEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});
