/** The addresses of the admin page. */
import { expect, test } from 'vitest';
import { hrefOf, readAddress } from '../../../renderer/admin/routing.ts';

test('an address contains a screen with its search, filter and open row', () => {
  const href = hrefOf('licenses', { search: 'ada+b@lab.example', status: '', open: '7' });
  expect(href).toBe('#/licenses?search=ada%2Bb%40lab.example&open=7');
  const { screen, params } = readAddress(href);
  expect(screen).toBe('licenses');
  expect(Object.fromEntries(params)).toEqual({ search: 'ada+b@lab.example', open: '7' });
});

test('any hash that is not the address of a screen opens the overview', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#/constructor', '#overview?x', 'nonsense']) {
    expect(readAddress(hash).screen).toBe('overview');
  }
  expect(readAddress('#/api-keys').screen).toBe('apiKeys');
});
