/** Only the main frame of our own window, on our own page, may call. */
import { describe, expect, it } from 'vitest';
import { isOwnPage } from '../../../electron/ipc/sender.ts';

const origin = 'app://latchkey';
const page = 'app://latchkey/index.html';
const contents = {};
const window = (destroyed = false) => ({ isDestroyed: () => destroyed, webContents: contents });
const from = (url: string, parent: object | null = null) => ({ sender: contents, senderFrame: { url, parent } });

describe('the sender of a message', () => {
  it('is our page in the main frame of our window', () => {
    expect(isOwnPage(from(`${page}#/devices`), window(), origin)).toBe(true);
  });

  it('is not a frame within our page, nor a page of another window', () => {
    expect(isOwnPage(from(page, {}), window(), origin)).toBe(false);
    expect(isOwnPage({ ...from(page), sender: {} }, window(), origin)).toBe(false);
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
    expect(isOwnPage(from(url), window(), origin)).toBe(false);
  });

  it('is not a frame that has gone, nor one of a window that was closed', () => {
    expect(isOwnPage({ sender: contents, senderFrame: null }, window(), origin)).toBe(false);
    expect(isOwnPage(from(page), window(true), origin)).toBe(false);
  });
});
