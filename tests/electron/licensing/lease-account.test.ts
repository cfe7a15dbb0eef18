/**
 * The account whose lease is valid while nobody is signed in: remembered on this machine, and deleted with the lease.
 */
import { describe, expect, it } from 'vitest';
import { createLeaseAccount } from '../../../electron/licensing/lease-account.ts';
import { createFakePlatform } from '../fake-platform.ts';

const ada = { serverAddress: 'http://127.0.0.1:8470', accountId: 'ada', deviceId: 'HW-1' };
const { deviceId: _, ...account } = ada;
const name = 'lease-account';

function start(platform = createFakePlatform()) {
  return { platform, account: createLeaseAccount(platform), stored: () => platform.secrets.values.get(name) };
}

describe('the account of the lease', () => {
  it('is empty before it is remembered, and known after the next start', async () => {
    const first = start();
    await first.account.load();
    expect(first.account.current).toBeNull();
    await first.account.remember(ada);
    expect(first.account.current).toMatchObject(account);
    expect(JSON.parse(first.stored() ?? '')).toEqual({ version: 1, min_reader: 1, ...account });
    const again = start(first.platform);
    await again.account.load();
    expect(again.account.current).toMatchObject(account);
  });

  it('is written only if the account or the server has changed', async () => {
    const { platform, account, stored } = start();
    await account.remember(ada);
    await account.remember(ada);
    expect(platform.secrets.writes).toHaveLength(1);
    await account.remember({ ...ada, accountId: 'bob' });
    expect(platform.secrets.writes).toHaveLength(2);
    await account.remember({ ...ada, accountId: 'bob', serverAddress: 'https://elsewhere.org' });
    expect(platform.secrets.writes).toHaveLength(3);
    expect(JSON.parse(stored() ?? '')).toMatchObject({ accountId: 'bob', serverAddress: 'https://elsewhere.org' });
    expect(account.current).toMatchObject({ accountId: 'bob', serverAddress: 'https://elsewhere.org' });
  });

  it('is deleted from memory and disk, once', async () => {
    const { platform, account, stored } = start();
    await account.remember(ada);
    await account.forget();
    await account.forget();
    expect(account.current).toBeNull();
    expect(stored()).toBeUndefined();
    expect(platform.secrets.writes.map(({ value }) => value === null)).toEqual([false, true]);
  });

  it('is kept in memory on a full disk, which is logged without its name', async () => {
    const { platform, account } = start();
    platform.secrets.setFailing(true);
    await account.remember(ada);
    expect(account.current).toMatchObject({ accountId: 'ada' });
    await account.forget();
    expect(account.current).toBeNull();
    expect(platform.logged).toEqual([
      'a document could not be stored: lease-account {}',
      'a document could not be removed: lease-account {}',
    ]);
  });

  it.each<[string, string, string | null, boolean]>([
    ['of this version', JSON.stringify({ version: 1, ...account }), 'ada', false],
    [
      'of a newer version that this one can read',
      JSON.stringify({ version: 2, min_reader: 1, more: 1, ...account }),
      'ada',
      true,
    ],
    ['of a newer version that it cannot', JSON.stringify({ version: 2, ...account }), null, true],
    ['that is damaged', 'damaged', null, true],
  ])('%s is set aside once before an overwrite that would lose it', async (_, text, accountId, isSetAside) => {
    const platform = createFakePlatform();
    platform.secrets.values.set(name, text);
    const { account } = start(platform);
    await account.load();
    expect(account.current?.accountId ?? null).toBe(accountId);
    for (const accountId of ['bob', 'grace']) await account.remember({ ...ada, accountId });
    const aside = [...platform.secrets.values].filter(([stored]) => stored.startsWith(`${name}.`));
    expect(aside.map(([, value]) => value)).toEqual(isSetAside ? [text] : []);
    expect(JSON.parse(platform.secrets.values.get(name) ?? '')).toMatchObject({ accountId: 'grace' });
  });
});
