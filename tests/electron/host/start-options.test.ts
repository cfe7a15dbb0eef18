/** The command line of `npm start`. */
import { describe, expect, it } from 'vitest';
import { readStartOptions } from '../../../electron/host/start-options.ts';

describe('the options of npm start', () => {
  it('start the demo when nothing is said', () => {
    expect(readStartOptions([])).toEqual({
      kind: 'start',
      options: { server: null, headless: false, data: './data/demo', port: 8470 },
    });
  });

  it('name another server, a port and a folder', () => {
    const given = ['--server', 'https://license.example.org', '--headless', '--port=0', '--data', '/tmp/x'];
    expect(readStartOptions(given)).toEqual({
      kind: 'start',
      options: { server: 'https://license.example.org', headless: true, data: '/tmp/x', port: 0 },
    });
  });

  it.each([['--help'], ['-h']])('explain themselves at %s', (option) => {
    expect(readStartOptions([option])).toEqual({ kind: 'help' });
  });

  it.each([
    [['--port', 'x'], '"x" is no port.'],
    [['--port', '70000'], '"70000" is no port.'],
    [['--server', 'license.example.org'], '"license.example.org" is no http or https address.'],
    [['--server', 'ftp://example.org'], '"ftp://example.org" is no http or https address.'],
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['extra'], "Unexpected argument 'extra'"],
  ])('are wrong as %j', (given, why) => {
    expect(readStartOptions(given)).toMatchObject({ kind: 'wrong', why: expect.stringContaining(why) });
  });
});
