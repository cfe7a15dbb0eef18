/** The page of the main window receives the state for as long as the window exists. */
import { expect, it, vi } from 'vitest';
import { sampleState } from '../sample-state.ts';

const electron = vi.hoisted(() => {
  class BrowserWindow {
    destroyed = false;
    readonly webContents = { send: vi.fn() };
    isDestroyed = () => this.destroyed;
    focused = false;
    readonly listeners = new Map<string, () => void>();
    isFocused = () => this.focused;
    on(event: string, listener: () => void) {
      const earlier = this.listeners.get(event);
      this.listeners.set(event, () => {
        earlier?.();
        listener();
      });
    }
    once() {}
    async loadURL() {}
  }
  return { BrowserWindow, nativeTheme: { on() {}, shouldUseDarkColors: false } };
});
vi.mock('electron', () => ({ ...electron, net: {}, protocol: { registerSchemesAsPrivileged() {} } }));
const { MainWindow } = await import('../../../electron/windows/main-window.ts');

function createWindow(onForeground: (foreground: boolean) => void = () => {}) {
  return new MainWindow({
    preload: '/preload.cjs',
    placement: { bounds: { x: 0, y: 0, width: 1040, height: 720 }, maximized: false },
    packaged: true,
    startHidden: false,
    hidesOnClose: () => false,
    onForeground,
    onPlacement: () => {},
  });
}

it('sends each state to its page until the window is gone', () => {
  const window = createWindow();
  const { webContents } = window.browserWindow;
  const states = [sampleState(), sampleState({ warnings: ['a'] })];
  states.forEach(window.showState);
  Object.assign(window.browserWindow, { destroyed: true });
  window.showState(sampleState());
  expect(vi.mocked(webContents.send).mock.calls).toEqual(states.map((state) => ['latchkey:state', state]));
});

it('is in the foreground while it has the focus, not while it is only visible', () => {
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
