/** The pages that the window may open in the person's browser, by name: no address ever comes from the window. */
import { type LinkAddresses, type LinkName, linkNames } from '../shared/ipc/links.ts';
import { type Done, fail, succeed } from '../shared/ipc/result.ts';
import type { Clock } from './licensing/platform.ts';

/** The names of the pages that there are. */
export function namedLinks(addresses: LinkAddresses): readonly LinkName[] {
  return linkNames.filter((name) => addresses[name] !== undefined);
}

/** Makes the command: opens a named page, and nothing but https. */
export function createOpenLink(addresses: LinkAddresses, open: (url: string) => Promise<void>, clock: Clock) {
  return async ({ name }: { readonly name: LinkName }): Promise<Done> => {
    const address = addresses[name];
    if (address === undefined || !address.startsWith('https://')) {
      const at = new Date(clock.now()).toISOString();
      return fail({ code: 'INTERNAL', message: 'There is no such page.', at });
    }
    await open(address);
    return succeed(null);
  };
}
