/** The pages that whoever ships the app has named: https alone, and only those. */
import { describe, expect, it, vi } from 'vitest';
import { createOpenLink, namedLinks } from '../../electron/links.ts';
import { linkAddresses } from '../../shared/ipc/links.ts';
import { createFakePlatform } from './fake-platform.ts';

const { clock } = createFakePlatform();

describe('the links of package.json', () => {
  it('are those that are set, in their order', () => {
    expect(namedLinks({})).toEqual([]);
    expect(namedLinks({ security: 'https://a.example/s', help: 'https://a.example/h' })).toEqual(['help', 'security']);
  });

  it('end the build where they are not https or have another name', () => {
    expect(linkAddresses.safeParse({ help: 'https://lab.example/help' }).success).toBe(true);
    for (const wrong of [
      { help: 'http://lab.example' },
      { help: 'javascript:alert(1)' },
      { imprint: 'https://a.example' },
    ])
      expect(linkAddresses.safeParse(wrong).success).toBe(false);
  });
});

describe('opening a link', () => {
  it('opens the page of that name', async () => {
    const open = vi.fn(async () => {});
    expect(await createOpenLink({ plans: 'https://lab.example/plans' }, open, clock)({ name: 'plans' })).toMatchObject({
      ok: true,
    });
    expect(open).toHaveBeenCalledWith('https://lab.example/plans');
  });

  it('opens nothing where there is no such page, or it is not https', async () => {
    const open = vi.fn(async () => {});
    expect(await createOpenLink({}, open, clock)({ name: 'help' })).toMatchObject({ ok: false });
    expect(await createOpenLink({ help: 'file:///etc/passwd' }, open, clock)({ name: 'help' })).toMatchObject({
      ok: false,
    });
    expect(open).not.toHaveBeenCalled();
  });
});
