/** Tabs that switch between webhook endpoints and the events received from billing providers. */
import { useMessages } from '../../i18n/messages.ts';
import { hrefOf, useAddress } from '../../routing.ts';

const tabs = ['webhooks', 'billingEvents'] as const;

export function WebhookTabs() {
  const { t } = useMessages();
  const { screen } = useAddress();
  const labels = { webhooks: t('webhooks.endpoints'), billingEvents: t('navigation.billingEvents') };
  return (
    <nav aria-label={t('navigation.webhooks')}>
      <ul className="tabs">
        {tabs.map((tab) => (
          <li key={tab}>
            <a className="tab" href={hrefOf(tab)} aria-current={screen === tab ? 'page' : undefined}>
              {labels[tab]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
