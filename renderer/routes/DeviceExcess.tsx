/** Says that more devices are activated than the plan is for, such as after a change to a smaller plan. */
import type { ReactNode } from 'react';
import { Banner } from '../components/Banner.tsx';
import { activationExcess } from '../i18n/account-messages.ts';
import { useMessages } from '../i18n/messages.ts';
import { accountOf, useApp } from '../store.ts';
import { useServerNow } from '../use-server-now.ts';

type Props = {
  /** Link to the list of devices; omitted above the list itself. */
  readonly link?: ReactNode;
};

export function DeviceExcess({ link }: Props) {
  const { t } = useMessages();
  const now = useServerNow();
  const account = useApp(accountOf);
  const excess = account && activationExcess(account, now);
  if (excess === null) return null;
  return (
    <Banner tone="attention" role="status" title={t('devices.excess', excess)} actions={link}>
      {t('devices.excessHelp')} {link === undefined && t('devices.excessOrder')}
    </Banner>
  );
}
