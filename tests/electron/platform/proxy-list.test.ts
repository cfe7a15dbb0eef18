/** Chromium's description of the proxy, as the connection doctor shows it: the first proxy, without credentials. */
import { expect, it } from 'vitest';
import { readProxyList, withoutSecrets } from '../../../electron/platform/proxy-list.ts';

const proxy = { kind: 'proxy', protocol: 'http', host: 'proxy.example', port: 3128 } as const;

it.each([
  ['DIRECT', { kind: 'direct' }],
  ['PROXY proxy.example:3128', proxy],
  ['PROXY proxy.example:3128; DIRECT', proxy],
  ['PROXY ada:secret@proxy.example:3128', proxy],
  ['HTTPS proxy.example', { ...proxy, protocol: 'https', port: 443 }],
  ['SOCKS5 proxy.example;PROXY other.example:80', { ...proxy, protocol: 'socks', port: 1080 }],
  ['PROXY [2001:db8::1]:3128', { ...proxy, host: '2001:db8::1' }],
  ['', null],
  ['QUIC proxy.example:443', null],
])('reads %j', (list, route) => {
  expect(readProxyList(list)).toEqual(route);
});

it.each([
  ['http://ada:secret@wpad.example/proxy.pac?key=secret#x', 'http://wpad.example/proxy.pac'],
  ['file:///etc/proxy.pac', 'file:///etc/proxy.pac'],
  ['data:text/plain,secret', null],
  ['', null],
])('shows only the address of the auto-configuration %j', (address, shown) => {
  expect(withoutSecrets(address)).toBe(shown);
});
