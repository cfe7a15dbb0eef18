/**
 * The result of `scan`: "nothing was found" only if everything requested was read, and the findings even if a report
 * fails.
 */
import { describe, expect, it } from 'vitest';
import { runClientCommand } from '../../../electron/cli/client-commands.ts';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { startTestClient } from '../licensing/start-client.ts';

const [first, second] = [formatApiKey('AbCd-1234_efGH5678ijKL90'), formatApiKey('ZyXw-1234_efGH5678ijKL90')];
const utf8 = (text: string) => new TextEncoder().encode(text);

async function prepare(files: Readonly<Record<string, string>>) {
  const { client, platform } = await startTestClient();
  for (const [path, content] of Object.entries(files)) platform.contents.set(path, utf8(content));
  const { signal } = new AbortController();
  const context = { client, signal, server: undefined, profile: '/', hasWindow: false, scheme: 'latchkey' };
  const scan = (paths: readonly string[], report = false) =>
    runClientCommand('scan', { paths, report }, { ...context, openRequests: null, log: platform.log });
  return { scan, client, platform };
}

describe('a scan', () => {
  it('that read everything reports whether it found something', async () => {
    const { scan } = await prepare({ '/a/none': 'nothing', '/a/image': '\0', '/b/key': first });
    expect(await scan(['/a'])).toEqual({ exit: 0, value: [] });
    expect(await scan(['/a', '/b'])).toMatchObject({ exit: 3, value: [{ file: '/b/key' }] });
  });

  it('that could not read everything is inconclusive, unless it found something', async () => {
    const { scan } = await prepare({ '/a': 'nothing', '/b': first });
    const incomplete = { code: 'SCAN_INCOMPLETE', files: 1, unreadable: 1, skipped: 0, limit: null };
    expect(await scan(['/a', '/locked'])).toMatchObject({ exit: 4, value: [], incomplete });
    expect(await scan(['/b', '/locked'])).toMatchObject({ exit: 3, value: [{ file: '/b' }], incomplete });
  });

  it('that stopped at a limit is inconclusive', async () => {
    const { scan, platform } = await prepare({});
    const walk = async function* () {
      for (let number = 0; ; number++) yield { kind: 'file' as const, path: `/${number}` };
    };
    Object.assign(platform.files, { walk, readFile: async () => ({ kind: 'read' }) });
    const result = await scan(['/']);
    expect(result).toMatchObject({ exit: 4, value: [], incomplete: { limit: 'files' } });
    expect(JSON.stringify(result)).toContain('It ended at the limit on files.');
  });

  it('of files that are all binary is inconclusive', async () => {
    const { scan } = await prepare({ '/image': '\0' });
    expect(await scan(['/image'])).toMatchObject({ exit: 4, value: [], incomplete: { skipped: 1 } });
  });

  it('returns its findings, with those already revoked, even if a report fails', async () => {
    const { scan, platform } = await prepare({ '/1': first, '/2': second });
    platform.http.on('POST /metrics/api-key/report', ({ json }) =>
      json.api_key === first ? { json: { success: true } } : { status: 404, json: {} },
    );
    expect(await scan(['/1', '/2'], true)).toMatchObject({
      exit: 4,
      value: [
        { file: '/1', reported: true },
        { file: '/2', reported: false },
      ],
      incomplete: { code: 'NOT_SUPPORTED_BY_SERVER' },
    });
  });

  it('returns its own findings, even if the window scans something else meanwhile', async () => {
    const { scan, client, platform } = await prepare({ '/1': first, '/2': second, '/other': second });
    platform.http.on('POST /metrics/api-key/report', async () => {
      await client.scanForKeys({ paths: ['/other'] });
      return { json: { success: true } };
    });
    const result = await scan(['/1', '/2'], true);
    expect(result).toMatchObject({ value: [{ file: '/1' }, { file: '/2', reported: false }] });
    expect(result).toMatchObject({ exit: 3, incomplete: { code: 'NOT_FOUND' } });
  });
});
