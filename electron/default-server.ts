/** Determines which license server the app uses until the user chooses another. */
import { normalizeServerAddress } from './licensing/server-address.ts';

/** The server started by `npm start`. */
const developmentServerAddress = 'http://127.0.0.1:8470';

type DefaultServerInput = {
  /** `latchkey.server` of package.json. */
  readonly declared: string | undefined;
  readonly isPackaged: boolean;
  readonly environment: NodeJS.ProcessEnv;
};

/**
 * Returns its address; `null` means that the user is asked. A packaged app never defaults to a server on this machine:
 * any of its users could run one. `invalid` if LATCHKEY_SERVER_URL is set to an address that is not allowed.
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
