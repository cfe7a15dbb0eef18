/** The command line of `npm start`. */
import { describe, expect, it } from 'vitest';
import { parseStartOptions, profileNameOf } from '../../../../electron/host/start/start-options.ts';

describe('the options of npm start', () => {
  it('start the demo by default', () => {
    expect(parseStartOptions([])).toEqual({
      kind: 'start',
      options: { server: null, headless: false, data: './data/demo', port: 8470 },
    });
  });

  it('set another server, a port and a folder', () => {
    const given = ['--server', 'https://license.example.org', '--headless', '--port=0', '--data', '/tmp/x'];
    expect(parseStartOptions(given)).toEqual({
      kind: 'start',
      options: { server: 'https://license.example.org', headless: true, data: '/tmp/x', port: 0 },
    });
  });

  it('accept the address of a server in the same forms as the window', () => {
    for (const [given, server] of [
      ['License.Example.org/', 'https://license.example.org'],
      ['localhost:8470', 'http://localhost:8470'],
    ] as const) {
      expect(parseStartOptions(['--server', given])).toMatchObject({ kind: 'start', options: { server } });
    }
  });

  it.each([['--help'], ['-h']])('show the help for %s', (option) => {
    expect(parseStartOptions([option])).toEqual({ kind: 'help' });
  });

  it.each([
    [['--port', 'x'], '"x" is not a port.'],
    [['--port', '70000'], '"70000" is not a port.'],
    [['--server', 'http://license.example.org'], 'The address after --server is not allowed: it must be an https'],
    [['--server', 'http://app.localhost'], 'The address after --server is not allowed: it must be an https'],
    [['--server', 'ftp://example.org'], 'The address after --server is not allowed: it must be an https address'],
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['extra'], "Unexpected argument 'extra'"],
  ])('are invalid as %j', (parameters, reason) => {
    expect(parseStartOptions(parameters)).toMatchObject({ kind: 'invalid', reason: expect.stringContaining(reason) });
  });
});

it('names a profile for each server, also for two on one host', () => {
  const servers = ['https://license.example.org', 'http://127.0.0.1:8470', 'http://127.0.0.1:8471'];
  const names = ['desktop-license.example.org', 'desktop-127.0.0.1-8470', 'desktop-127.0.0.1-8471'];
  expect(servers.map(profileNameOf)).toEqual(names);
  const belowPaths = ['https://example.org/one', 'https://example.org/two', 'https://example.org'].map(profileNameOf);
  expect(new Set(belowPaths).size).toBe(3);
});
