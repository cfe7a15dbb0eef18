/** Says why a license with the status active is not valid: it depends on a subscription that gives no access. */
import type { ListedLicense } from '../../../../shared/api/admin/licenses.ts';
import { ToneIcon } from '../../../components/Banner.tsx';
import { useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';

type WithoutAccessProps = { readonly license: Pick<ListedLicense, 'status' | 'with_subscription' | 'user_id'> };

/** Renders nothing for any other license. */
export function WithoutAccess({ license: { status, with_subscription, user_id } }: WithoutAccessProps) {
  return status === 'active' && with_subscription && user_id !== null ? <AccountAccess userId={user_id} /> : null;
}

function AccountAccess({ userId }: { readonly userId: string }) {
  const { t } = useMessages();
  const account = useRead('account', { params: { id: userId } }).data;
  if (account === undefined || account.subscription?.gives_access === true) return null;
  return (
    <p className="attention-item">
      <ToneIcon tone="attention" />
      <span className="attention-text wrap-anywhere">{t('licenses.withoutAccess', { email: account.email })}</span>
    </p>
  );
}
