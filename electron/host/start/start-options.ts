/** The command line of `npm start`. */
import { parseArgs } from 'node:util';
import { normalizeServerAddress, serverAddressRule } from '../../licensing/server-address.ts';

export type StartOptions = {
  /** Canonical address of the server to connect to; `null` starts one. */
  readonly server: string | null;
  readonly headless: boolean;
  /** Folder of the demo data. */
  readonly data: string;
  /** Port of the server. */
  readonly port: number;
};

type StartRequest =
  | { readonly kind: 'start'; readonly options: StartOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Parses the command line; an unknown option is invalid rather than ignored. */
export function parseStartOptions(args: readonly string[]): StartRequest {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        server: { type: 'string' },
        headless: { type: 'boolean', default: false },
        port: { type: 'string', default: process.env.LATCHKEY_PORT || '8470' },
        data: { type: 'string', default: './data/demo' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const port = Number(values.port);
    if (!/^\d+$/.test(values.port) || port > 65_535)
      return { kind: 'invalid', reason: `"${values.port}" is not a port.` };
    const server = values.server === undefined ? null : normalizeServerAddress(values.server);
    if (values.server !== undefined && server === null) {
      return { kind: 'invalid', reason: `The address after --server is not allowed: ${serverAddressRule}` };
    }
    const { headless, data } = values;
    return { kind: 'start', options: { server, headless, data, port } };
  } catch (error) {
    return { kind: 'invalid', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the name of the profile for a server, which is a different one for each address, port and path. */
export function profileNameOf(server: string): string {
  return `desktop-${server.replace(/^https?:\/\//, '').replace(/[^\w.-]/g, '-')}`;
}
