/** Only the main frame of our own window, on our own page, may call. */
import { describe, expect, it } from 'vitest';
import { isOwnPage } from '../../../electron/ipc/sender.ts';

const origin = 'app://latchkey';
const frame = (url: string) => ({ url, origin: 'null' });
const window = (mainFrame: ReturnType<typeof frame>, destroyed = false) => ({
  isDestroyed: () => destroyed,
  webContents: { mainFrame },
});

describe('the sender of a message', () => {
  it('is our page in the main frame of our window', () => {
    const own = frame('app://latchkey/index.html#/devices');
    expect(isOwnPage({ senderFrame: own }, window(own), origin)).toBe(true);
  });

  it('is not a frame within our page, or a page of another window', () => {
    const own = frame('app://latchkey/index.html');
    expect(isOwnPage({ senderFrame: frame(own.url) }, window(own), origin)).toBe(false);
  });

  it.each([
    'https://latchkey/index.html',
    'app://latchkey.example/index.html',
    'app://other/index.html',
    'http://127.0.0.1:5173/',
    'file:///index.html',
    'about:blank',
    'data:text/html,app://latchkey/',
    'not a url',
    '',
  ])('is not a page at %j', (url) => {
    const other = frame(url);
    expect(isOwnPage({ senderFrame: other }, window(other), origin)).toBe(false);
  });

  it('is not a frame that has gone, nor one of a window that was closed', () => {
    const own = frame('app://latchkey/index.html');
    expect(isOwnPage({ senderFrame: null }, window(own), origin)).toBe(false);
    expect(isOwnPage({ senderFrame: own }, window(own, true), origin)).toBe(false);
  });
});
