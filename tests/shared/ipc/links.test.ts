/** The pages that package.json may declare. */
import { describe, expect, it } from 'vitest';
import { declaredLinkNames, linkAddresses } from '../../../shared/ipc/links.ts';

describe('the links in package.json', () => {
  it('are listed by name if they have an address, in a fixed order', () => {
    expect(declaredLinkNames({})).toEqual([]);
    expect(declaredLinkNames({ security: 'https://a.example/s', help: 'https://a.example/h' })).toEqual([
      'help',
      'security',
    ]);
  });

  it.each([{ help: 'http://lab.example' }, { help: 'javascript:alert(1)' }, { imprint: 'https://a.example' }])(
    'fail the build if one is not https or has an unknown name: %j',
    (wrong) => {
      expect(linkAddresses.safeParse({ help: 'https://lab.example/help' }).success).toBe(true);
      expect(linkAddresses.safeParse(wrong).success).toBe(false);
    },
  );
});
