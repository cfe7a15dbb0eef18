/** Which license server the app uses until the user chooses another. */
import { normalizeServerAddress } from './licensing/server-address.ts';

/** The server that `npm start` starts. */
const developmentServerAddress = 'http://127.0.0.1:8470';

export type DefaultServerInput = {
  /** `latchkey.server` of package.json. */
  readonly declared: string | undefined;
  readonly isPackaged: boolean;
  readonly environment: NodeJS.ProcessEnv;
};

/**
 * Its address; `null` asks the user for it. A packaged app never takes a server on this machine by itself: any user of the
 * machine may run one there. `invalid` if LATCHKEY_SERVER_URL is set to an address that is not allowed.
 */
export function findDefaultServer(input: DefaultServerInput): { readonly address: string | null } | 'invalid' {
  const { declared, isPackaged, environment } = input;
  const { LATCHKEY_SERVER_URL: configured, LATCHKEY_ASK_SERVER: asks } = environment;
  if (configured) {
    const address = normalizeServerAddress(configured);
    return address === null ? 'invalid' : { address };
  }
  const asksUser = isPackaged || asks === '1';
  return { address: declared ?? (asksUser ? null : developmentServerAddress) };
}
