/** What a person may say to `npm start`. */
import { parseArgs } from 'node:util';

export type StartOptions = {
  /** Another server; then none is started. */
  readonly server: string | null;
  readonly headless: boolean;
  /** The folder of the demo data. */
  readonly data: string;
  /** The port of the server. */
  readonly port: number;
};

export const startUsage = `npm start [-- OPTIONS]

Builds what is needed, starts the server with demo data, and opens the desktop.

  --server URL   open the desktop against another server, and start none
  --headless     open no window: print an address for a browser
  --port N       the server's port (8470; a free one where it is taken)
  --data DIR     the folder of the demo data (./data/demo)
  --help         this text`;

export type StartRequest =
  | { readonly kind: 'start'; readonly options: StartOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly why: string };

/** Reads the command line; what it does not know is wrong rather than ignored. */
export function readStartOptions(given: readonly string[]): StartRequest {
  try {
    const { values } = parseArgs({
      args: [...given],
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
    if (!/^\d+$/.test(values.port) || port > 65_535) return { kind: 'wrong', why: `"${values.port}" is no port.` };
    if (values.server !== undefined && !isWebAddress(values.server)) {
      return { kind: 'wrong', why: `"${values.server}" is no http or https address.` };
    }
    const { headless, data } = values;
    return { kind: 'start', options: { server: values.server ?? null, headless, data, port } };
  } catch (error) {
    return { kind: 'wrong', why: error instanceof Error ? error.message : String(error) };
  }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
