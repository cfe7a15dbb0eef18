/** Which starts of the app are for the command line. */
import { expect, it } from 'vitest';
import { findCliArguments } from '../../../electron/cli/cli-arguments.ts';

it('recognizes --cli as the first argument, also after the folder of the app and Chromium switches', () => {
  expect(findCliArguments(['latchkey', '--cli', 'status', '--json'])).toEqual(['status', '--json']);
  expect(findCliArguments(['electron', '.', '--no-sandbox', '--cli', 'status'])).toEqual(['status']);
  expect(findCliArguments(['latchkey', '--cli', 'open', '--', 'a.lease'])).toEqual(['open', '--', 'a.lease']);
  expect(findCliArguments(['latchkey', '--hidden'])).toBeNull();
});

it('ignores --cli in a link that ends its quotes in the registered command', () => {
  expect(findCliArguments(['Latchkey.exe', '--', 'latchkey:x', '--cli', 'sign-out'])).toBeNull();
  expect(findCliArguments(['Latchkey.exe', '--', '--cli', 'sign-out'])).toBeNull();
});
