/** Items that need attention, each with a link to the screen that resolves it. */
import type { Attention } from '../../../../shared/api/admin/overview.ts';
import { ToneIcon } from '../../../components/Banner.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { hrefOf, type Params, type Screen } from '../../routing.ts';

/** The filter that takes the number of days in the text of the item. */
type DaysFilter = 'expires_within_days';

const places: Readonly<Record<Attention['kind'], readonly [Screen, Params?, DaysFilter?]>> = {
  no_installer: ['installers'],
  single_owner: ['staff'],
  staff_without_passkey: ['staff'],
  subscriptions_past_due: ['accounts', { status: 'past_due' }],
  licenses_ending: ['licenses', {}, 'expires_within_days'],
  legacy_keys_ending: ['apiKeys', { state: 'legacy' }],
  plain_http: ['server'],
  backup_not_proven: ['server'],
  audit_log_cut: ['audit'],
  secrets_file_lost: ['server'],
  mails_waiting: ['server'],
  events_waiting: ['webhooks'],
  webhook_failures: ['webhooks'],
  billing_unknown: ['billingEvents', { state: 'dead_letter' }],
};

export function AttentionList({ attention }: { readonly attention: readonly Attention[] }) {
  const { t, locale } = useMessages();
  if (attention.length === 0) {
    return (
      <p className="attention-item">
        <ToneIcon tone="good" /> {t('overview.allGood')}
      </p>
    );
  }
  return (
    <ul className="attention" aria-label={t('overview.attention')}>
      {attention.map(({ kind, params }) => {
        const [screen, fixed, daysFilter] = places[kind];
        const filters = daysFilter ? { ...fixed, [daysFilter]: String(params.days) } : fixed;
        const count = Number(params.count ?? 1);
        const shown = `${count.toLocaleString(locale)}${params.at_least === undefined ? '' : '+'}`;
        return (
          <li key={kind} className="attention-item">
            <ToneIcon tone="attention" />
            <span className="attention-text">{t(`overview.kind.${kind}`, { ...params, count, shown })}</span>
            <a className="button button-secondary" href={hrefOf(screen, filters)}>
              {t('overview.open', { place: t(`navigation.${screen}`) })}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
