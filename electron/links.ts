/** The pages that the window may open in the person's browser, by name: no address ever comes from the window. */
import { shell } from 'electron';
import type { linkNames } from '../shared/ipc/ipc-schema.ts';
import { type Done, succeed } from '../shared/ipc/result.ts';

type LinkName = (typeof linkNames)[number];

const addresses: Readonly<Record<LinkName, string>> = {
  help: 'https://latchkey.example/help',
  plans: 'https://latchkey.example/plans',
  security: 'https://latchkey.example/security',
};

/** Opens a named page. */
export async function openLink(name: LinkName): Promise<Done> {
  await shell.openExternal(addresses[name]);
  return succeed(null);
}
