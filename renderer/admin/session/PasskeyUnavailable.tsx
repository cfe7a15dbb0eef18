/** Explains why passkeys cannot be used at the page's address, and where they can. */
import { useMessages } from '../i18n/messages.ts';
import { localhostAddress } from './passkeys.ts';

export function PasskeyUnavailable() {
  const { t } = useMessages();
  const localhost = localhostAddress();
  return (
    <p className="hint passkey-unavailable">
      {localhost === null ? t('passkey.unavailable') : t('passkey.unavailableHere')}{' '}
      {localhost !== null && (
        <a className="link" href={localhost}>
          {localhost}
        </a>
      )}
    </p>
  );
}
