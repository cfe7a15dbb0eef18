/** How long the client uses an access token, on machines whose clocks are wrong, jump or stop. */
import { expect, it } from 'vitest';
import { isFresh, receiveAccessToken } from '../../../electron/licensing/access-token.ts';
import { createFakePlatform } from '../fake-platform.ts';

const hourMs = 3_600_000;

function receive(lifetimeMs: number, { serverAheadMs = 0, hasDate = true } = {}) {
  const { clock } = createFakePlatform();
  const serverMs = clock.now() + serverAheadMs;
  const tokens = {
    access_token: 'token',
    refresh_token: 'refresh',
    expires_at: new Date(serverMs + lifetimeMs).toISOString(),
  };
  return { clock, token: receiveAccessToken(tokens, hasDate ? serverMs : null, clock) };
}

it.each([
  ['one of an hour', hourMs, hourMs],
  ['the longest plausible one', 24 * hourMs, 24 * hourMs],
  ['one that is longer', 24 * hourMs + 1, hourMs],
  ['one that has ended', 0, hourMs],
  ['one that ended long ago', -hourMs, hourMs],
])('a lifetime counts as an hour if it is implausible: %s', (_, stated, expected) => {
  expect(receive(stated).token.lifetimeMs).toBe(expected);
});

it('the lifetime is measured by the clock of the server, or by that of the machine if there is none', () => {
  const ahead = { serverAheadMs: 2 * hourMs };
  expect(receive(hourMs, ahead).token.lifetimeMs).toBe(hourMs);
  expect(receive(hourMs, { ...ahead, hasDate: false }).token.lifetimeMs).toBe(3 * hourMs);
});

it('a token is fresh until 80 % of its lifetime has passed', async () => {
  const { clock, token } = receive(hourMs);
  await clock.advance(0.8 * hourMs - 1);
  expect(isFresh(token, clock)).toBe(true);
  await clock.advance(1);
  expect(isFresh(token, clock)).toBe(false);
});

it('a token ages while the machine sleeps, although its monotonic clock may stop, and if the wall clock is set back', async () => {
  const asleep = receive(hourMs);
  asleep.clock.sleep(hourMs);
  expect(isFresh(asleep.token, asleep.clock)).toBe(false);
  const setBack = receive(hourMs);
  await setBack.clock.advance(hourMs);
  setBack.clock.setWall(setBack.clock.now() - 2 * hourMs);
  expect(isFresh(setBack.token, setBack.clock)).toBe(false);
});
