/** Which server addresses are allowed, and their canonical form. */
import { describe, expect, it } from 'vitest';
import { normalizeServerAddress } from '../../../electron/licensing/server-address.ts';

describe('a server address', () => {
  it.each([
    ['https://license.example.org', 'https://license.example.org'],
    [' License.Example.org/ ', 'https://license.example.org'],
    ['https://example.org:443', 'https://example.org'],
    ['https://example.org:8443/base//path/', 'https://example.org:8443/base/path'],
    ['https://example.org/api/v1', 'https://example.org'],
    ['https://example.org/keys//', 'https://example.org/keys'],
    ['https://example.org/api/v1/keys', 'https://example.org/api/v1/keys'],
    ['https://example.org/keys/api/v1/', 'https://example.org/keys'],
    ['http://localhost:8470', 'http://localhost:8470'],
    ['localhost:8470', 'http://localhost:8470'],
    ['127.0.0.1:80', 'http://127.0.0.1'],
    ['HTTP://[::1]:8470/', 'http://[::1]:8470'],
    ['https://[2001:db8::1]', 'https://[2001:db8::1]'],
    ['https://app.localhost', 'https://app.localhost'],
    ['app.localhost', 'https://app.localhost'],
    ['http://127.8.9.10:8470', 'http://127.8.9.10:8470'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
  ])('%s is normalized to %s', (input, expected) => {
    expect(normalizeServerAddress(input)).toBe(expected);
    expect(normalizeServerAddress(expected)).toBe(expected);
  });

  it.each([
    '',
    'http://example.org',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
    // The system's resolver may ask DNS for these.
    'http://app.localhost',
    'http://a.b.localhost:8470',
    'http://localhost.',
    'http://[2001:db8::1]',
    'http://10.0.0.1',
    'ftp://example.org',
    'ftp://localhost',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:password@example.org',
    'https://example.org@evil.example',
    'https://example.org?x=1',
    'https://example.org#x',
    'https://exa mple.org',
    'https://example.org:0',
    'https://example.org:65536',
    'https://example.org:8443:9',
    'https://',
    'https://-example.org',
    'https:\\\\example.org',
    '//example.org',
  ])('%s is rejected', (input) => {
    expect(normalizeServerAddress(input)).toBeNull();
  });
});
