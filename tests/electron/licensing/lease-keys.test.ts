/** The keys of leases: which server they belong to, which of them are accepted, and what is stored. */
import { describe, expect, it } from 'vitest';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { LeaseKeys, type PinnedLeaseKeys } from '../../../electron/licensing/lease-keys.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';

const here = 'http://127.0.0.1:8470';
const elsewhere = 'https://elsewhere.org';
const [one, two] = ['one', 'two'].map((kid) => new LeaseSigner(kid).jwk);
if (!one || !two) throw new Error('There are two.');

type Options = { readonly pinned?: PinnedLeaseKeys; readonly platform?: ReturnType<typeof createFakePlatform> };

function start({ pinned, platform = createFakePlatform() }: Options = {}) {
  const session: { serverAddress: string | null } = { serverAddress: here };
  const asked: string[] = [];
  /** The keys that the server publishes, or a different answer. */
  const server = { published: [one] as unknown[], answer: null as ApiResult<unknown> | null, onAsked: () => {} };
  const api = {
    loadLeaseKeys: async (serverAddress: string): Promise<ApiResult<unknown>> => {
      asked.push(serverAddress);
      server.onAsked();
      return server.answer ?? { kind: 'success', response: { keys: server.published }, serverTimeMs: null };
    },
  };
  const { secrets, log } = platform;
  const keys = new LeaseKeys({ api: api as never, session: session as never, secrets, log, pinned: pinned ?? null });
  const kids = (of: string | null = here) => keys.of(of).keys.map(({ kid }) => kid);
  const stored = () => JSON.parse(secrets.values.get('lease-keys') ?? 'null');
  return { platform, session, asked, server, keys, kids, stored };
}

describe('first-use keys', () => {
  it('are empty at first, then those of that server alone, which are stored', async () => {
    const { keys, kids, stored, asked } = start();
    expect(keys.arePinned).toBe(false);
    expect(keys.source).toBe('first-use');
    expect(kids()).toEqual([]);
    await keys.refresh();
    expect(asked).toEqual([here]);
    expect(keys.of(here)).toEqual({ keys: [one] });
    expect(kids(elsewhere)).toEqual([]);
    expect(kids(null)).toEqual([]);
    expect(stored()).toEqual({ version: 1, min_reader: 1, servers: [{ serverAddress: here, keys: [one] }] });
  });

  it('are the stored ones after the next start', async () => {
    const first = start();
    await first.keys.refresh();
    const { keys, kids } = start({ platform: first.platform });
    await keys.load();
    expect(kids()).toEqual(['one']);
  });

  it('are not requested without a session', async () => {
    const { keys, session, asked } = start();
    session.serverAddress = null;
    await keys.refresh();
    expect(asked).toEqual([]);
  });

  it('are dropped when the server no longer publishes them, but are never replaced by another key with the same id', async () => {
    const { keys, server } = start();
    await keys.refresh();
    const forged = new LeaseSigner('one').jwk;
    server.published = [two, forged];
    await keys.refresh();
    expect(keys.of(here).keys).toEqual([two, one]);
    server.published = [two];
    await keys.refresh();
    expect(keys.of(here).keys).toEqual([two]);
  });

  it('that are malformed are not taken, so that the right key with that id is', async () => {
    const { keys, server } = start();
    server.published = [{ ...one, x: 'AQAB' }];
    await keys.refresh();
    expect(keys.of(here)).toEqual({ keys: [] });
    server.published = [one];
    await keys.refresh();
    expect(keys.of(here)).toEqual({ keys: [one] });
  });

  it('are written only when they have changed', async () => {
    const { keys, platform, server } = start();
    await keys.refresh();
    await keys.refresh();
    expect(platform.secrets.writes).toHaveLength(1);
    server.published = [two];
    await keys.refresh();
    expect(platform.secrets.writes).toHaveLength(2);
  });

  it.each<ApiResult<unknown>['kind']>(['error', 'unsupported', 'inconclusive'])(
    'are kept if the answer is %s',
    async (kind) => {
      const { keys, kids, server } = start();
      await keys.refresh();
      server.answer = { kind, failure: { code: 'X', message: '', at: '' } } as ApiResult<unknown>;
      await keys.refresh();
      expect(kids()).toEqual(['one']);
    },
  );

  it('are discarded if the server was changed during the request', async () => {
    const { keys, kids, session, server } = start();
    server.onAsked = () => {
      session.serverAddress = elsewhere;
    };
    await keys.refresh();
    expect(kids()).toEqual([]);
    expect(kids(elsewhere)).toEqual([]);
  });

  it('are limited to twenty per server, and to fifty servers, the latest first', async () => {
    const { keys, kids, session, server, stored } = start();
    server.published = Array.from({ length: 21 }, (_, index) => ({ ...one, kid: `key-${index}` }));
    await keys.refresh();
    expect(kids()).toHaveLength(20);
    expect(kids().at(-1)).toBe('key-19');
    server.published = [one];
    for (let number = 1; number <= 50; number++) {
      session.serverAddress = `${elsewhere}/${number}`;
      await keys.refresh();
      expect(kids()).toHaveLength(number < 50 ? 20 : 0);
    }
    expect(stored().servers).toHaveLength(50);
    expect(stored().servers[0].serverAddress).toBe(`${elsewhere}/50`);
  });

  it('move with the server, and remain known under its earlier address', async () => {
    const { keys, kids, stored } = start();
    await keys.move(here, elsewhere);
    expect(stored()).toBeNull();
    await keys.refresh();
    await keys.move(here, elsewhere);
    expect(kids(elsewhere)).toEqual(['one']);
    expect(kids()).toEqual(['one']);
    expect(stored().servers.map(({ serverAddress }: { serverAddress: string }) => serverAddress)).toEqual([
      elsewhere,
      here,
    ]);
    await keys.move(here, elsewhere);
    expect(stored().servers).toHaveLength(2);
  });
});

describe('pinned keys', () => {
  it.each(['built-in', 'file'] as const)(
    'from %s are valid for every server, and nothing is requested, read or stored',
    async (from) => {
      const first = start();
      await first.keys.refresh();
      const { keys, asked, stored, platform } = start({
        pinned: { from, keys: [two as never] },
        platform: first.platform,
      });
      Object.assign(platform.secrets, { read: async () => Promise.reject(new Error('Nothing is to be read.')) });
      await keys.load();
      await keys.refresh();
      await keys.move(here, elsewhere);
      expect(keys.arePinned).toBe(true);
      expect(keys.source).toBe(from);
      for (const address of [here, elsewhere, null]) expect(keys.of(address)).toEqual({ keys: [two] });
      expect(asked).toEqual([]);
      expect(stored().servers).toHaveLength(1);
      expect(platform.secrets.writes).toHaveLength(1);
    },
  );
});

describe('stored keys', () => {
  const server = { serverAddress: here, keys: [one] };
  it.each<[string, unknown, string[], boolean]>([
    ['of this version', { version: 1, servers: [server] }, ['one'], false],
    [
      'of a newer version that this one can read',
      { version: 2, min_reader: 1, servers: [server], more: 1 },
      ['one'],
      true,
    ],
    ['of a newer version that it cannot', { version: 2, servers: [server] }, [], true],
    ['that are damaged', { version: 1, servers: [{ serverAddress: here, keys: [{}] }] }, [], true],
  ])('%s are set aside once before an overwrite that would lose them', async (_, document, kept, isSetAside) => {
    const platform = createFakePlatform();
    const text = JSON.stringify(document);
    platform.secrets.values.set('lease-keys', text);
    const { keys, kids, server, stored } = start({ platform });
    await keys.load();
    expect(kids()).toEqual(kept);
    server.published = [two];
    await keys.refresh();
    server.published = [one, two];
    await keys.refresh();
    expect(stored()).toMatchObject({ version: 1, servers: [{ keys: [{ kid: 'one' }, { kid: 'two' }] }] });
    const aside = [...platform.secrets.values].filter(([name]) => name.startsWith('lease-keys.'));
    expect(aside.map(([, value]) => value)).toEqual(isSetAside ? [text] : []);
  });

  it('that cannot be written are used while the app runs and the failure is logged; they are set aside with the next write', async () => {
    const platform = createFakePlatform();
    platform.secrets.values.set('lease-keys', 'damaged');
    const { keys, kids, server } = start({ platform });
    await keys.load();
    platform.secrets.setFailing(true);
    await keys.refresh();
    expect(kids()).toEqual(['one']);
    expect(platform.logged.join()).toContain('a document could not be stored: lease-keys');
    platform.secrets.setFailing(false);
    server.published = [two];
    await keys.refresh();
    expect([...platform.secrets.values.values()]).toContain('damaged');
  });
});
