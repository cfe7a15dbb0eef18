/** The page of the main window receives the state for as long as the window exists. */
import { expect, it, vi } from 'vitest';
import type { WindowPlacement } from '../../../electron/windows/window-placement.ts';
import { sampleState } from '../sample-state.ts';

const electron = vi.hoisted(() => {
  class BrowserWindow {
    destroyed = false;
    readonly webContents = { send: vi.fn() };
    isDestroyed = () => this.destroyed;
    focused = false;
    readonly listeners = new Map<string, (event?: object) => void>();
    isFocused = () => this.focused;
    on(event: string, listener: (event?: object) => void) {
      const earlier = this.listeners.get(event);
      this.listeners.set(event, (given) => {
        earlier?.(given);
        listener(given);
      });
    }
    readonly show = vi.fn();
    readonly focus = vi.fn();
    readonly restore = vi.fn();
    readonly hide = vi.fn();
    readonly maximize = vi.fn();
    readonly setBounds = vi.fn();
    getNormalBounds = () => ({ x: 0, y: 0, width: 1040, height: 720 });
    isMaximized = () => this.maximize.mock.calls.length > 0;
    minimized = false;
    isMinimized = () => this.minimized;
    once(event: string, listener: () => void) {
      this.on(event, listener);
    }
    async loadURL() {}
  }
  return { BrowserWindow, nativeTheme: { on() {}, shouldUseDarkColors: false } };
});
vi.mock('electron', () => ({ ...electron, net: {}, protocol: { registerSchemesAsPrivileged() {} } }));
const { MainWindow } = await import('../../../electron/windows/main-window.ts');

type Options = {
  readonly startHidden?: boolean;
  readonly hidesOnClose?: boolean;
  readonly maximized?: boolean;
  readonly onPlacement?: (placement: WindowPlacement) => void;
};

function createWindow(onForeground: (foreground: boolean) => void = () => {}, options: Options = {}) {
  const { startHidden = false, hidesOnClose = false, maximized = false, onPlacement = () => {} } = options;
  return new MainWindow({
    preload: '/preload.cjs',
    placement: { bounds: { x: 0, y: 0, width: 1040, height: 720 }, maximized },
    screens: () => [{ x: 0, y: 0, width: 1440, height: 900 }],
    packaged: true,
    startHidden,
    hidesOnClose: () => hidesOnClose,
    onForeground,
    onPlacement,
  });
}

it('the window sends each state to its page until it is closed', () => {
  const window = createWindow();
  const { webContents } = window.browserWindow;
  const states = [sampleState(), sampleState({ warnings: ['a'] })];
  states.forEach(window.showState);
  Object.assign(window.browserWindow, { destroyed: true });
  window.showState(sampleState());
  expect(vi.mocked(webContents.send).mock.calls).toEqual(states.map((state) => ['latchkey:state', state]));
});

it('the window counts as in the foreground while it is focused, not while it is only visible', () => {
  const reported: boolean[] = [];
  const { browserWindow } = createWindow((foreground) => reported.push(foreground));
  const { listeners } = browserWindow as unknown as { listeners: Map<string, () => void> };
  const happens = (event: string, focused: boolean) => {
    Object.assign(browserWindow, { focused });
    listeners.get(event)?.();
  };
  happens('show', false);
  happens('focus', true);
  happens('blur', false);
  expect(reported).toEqual([true, false]);
});

const emit = ({ browserWindow }: ReturnType<typeof createWindow>, event: string, given?: object) =>
  (browserWindow as unknown as { listeners: Map<string, (event?: object) => void> }).listeners.get(event)?.(given);

it('the window stays hidden when the system has started the app at login, until it is revealed', () => {
  const shown = createWindow();
  emit(shown, 'ready-to-show');
  expect(shown.browserWindow.show).toHaveBeenCalledOnce();
  const hidden = createWindow(undefined, { startHidden: true });
  emit(hidden, 'ready-to-show');
  expect(hidden.browserWindow.show).not.toHaveBeenCalled();
  Object.assign(hidden.browserWindow, { minimized: true });
  hidden.reveal();
  for (const method of ['restore', 'show', 'focus'] as const) {
    expect(hidden.browserWindow[method]).toHaveBeenCalledOnce();
  }
});

it('a maximized window that starts hidden is maximized only once it is shown, which maximizing would do', () => {
  const placements: WindowPlacement[] = [];
  const options = { maximized: true, onPlacement: (placement: WindowPlacement) => void placements.push(placement) };
  const shown = createWindow(undefined, options);
  emit(shown, 'ready-to-show');
  expect(shown.browserWindow.maximize).toHaveBeenCalledOnce();
  const hidden = createWindow(undefined, { ...options, startHidden: true });
  emit(hidden, 'ready-to-show');
  emit(hidden, 'close');
  expect(hidden.browserWindow.maximize).not.toHaveBeenCalled();
  expect(placements).toEqual([]);
  emit(hidden, 'show');
  expect(hidden.browserWindow.maximize).toHaveBeenCalledOnce();
  emit(hidden, 'close');
  expect(placements).toMatchObject([{ maximized: true }]);
});

it('the window is hidden instead of closed if the tray can open it again, and reports that', () => {
  const event = { preventDefault: vi.fn() };
  const withoutTray = createWindow();
  emit(withoutTray, 'close', event);
  expect(event.preventDefault).not.toHaveBeenCalled();
  const withTray = createWindow(undefined, { hidesOnClose: true });
  const onHidden = vi.fn();
  withTray.onHidden(onHidden);
  emit(withTray, 'close', event);
  expect(event.preventDefault).toHaveBeenCalledOnce();
  expect(withTray.browserWindow.hide).toHaveBeenCalledOnce();
  expect(onHidden).toHaveBeenCalledOnce();
});

it('the window sends the page what was opened from outside', () => {
  const window = createWindow();
  window.showOpenRequest({ kind: 'unknown-link', id: 'r-1' });
  window.showOpenRequest(null);
  expect(vi.mocked(window.browserWindow.webContents.send).mock.calls).toEqual([
    ['latchkey:open-request', { kind: 'unknown-link', id: 'r-1' }],
    ['latchkey:open-request', null],
  ]);
});

it('a window whose screen was disconnected while it was hidden comes back on one that is connected', () => {
  const { browserWindow, reveal } = createWindow();
  const setBounds = vi.mocked(browserWindow.setBounds);
  reveal();
  expect(setBounds).not.toHaveBeenCalled();
  browserWindow.getNormalBounds = () => ({ x: 2400, y: 100, width: 1040, height: 720 });
  reveal();
  expect(setBounds.mock.calls).toEqual([[{ x: 200, y: 90, width: 1040, height: 720 }]]);
  expect(setBounds.mock.invocationCallOrder[0]).toBeLessThan(
    vi.mocked(browserWindow.show).mock.invocationCallOrder.at(-1) ?? 0,
  );
});
