/** The audit screen: who did what to which record. */
import { Activity } from 'lucide-react';
import { useMemo } from 'react';
import type { AuditEventRecord } from '../../../../shared/api/admin/audit.ts';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { RelativeTime } from '../../../components/Times.tsx';
import { exactTime } from '../../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { RecordHeading, RecordSection } from '../../records/RecordSection.tsx';
import type { ListColumn, ListFilter } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { OpenRow } from '../../table/OpenRow.tsx';
import { auditNouns } from './audit-nouns.ts';

export function Audit() {
  const { t } = useMessages();
  return (
    <ListScreen
      name="audit"
      title={t('navigation.audit')}
      intro={t('audit.intro')}
      searchHint={t('audit.searchHint')}
      columns={useAuditColumns()}
      filters={useAuditFilters()}
      idOf={({ id }) => id}
      empty={{ icon: Activity, title: t('audit.empty'), hint: t('audit.emptyHint') }}
      renderRecord={(id) => (
        <OpenRow list="audit" isOpen={(event) => event.id === id}>
          {(event) => <AuditEvent event={event} />}
        </OpenRow>
      )}
    />
  );
}

function AuditEvent({ event }: { readonly event: AuditEventRecord }) {
  const { t, locale } = useMessages();
  const details = Object.entries(event.details);
  return (
    <>
      <RecordHeading title={<span className="mono">{event.action}</span>}>{exactTime(event.at, locale)}</RecordHeading>
      <RecordSection title={t('list.details')}>
        <Facts>
          <Fact name={t('audit.actor')}>{event.actor || t('audit.nobody')}</Fact>
          <Fact name={t('audit.target')}>{event.target}</Fact>
          {event.target_id !== null && (
            <Fact name={t('audit.targetId')}>
              <span className="mono">{event.target_id}</span>
            </Fact>
          )}
          {event.address !== null && (
            <Fact name={t('audit.address')}>
              <span className="mono">{event.address}</span>
            </Fact>
          )}
          {details.map(([name, value]) => (
            <Fact key={name} name={name.replaceAll('_', ' ')}>
              {typeof value === 'string' ? value : JSON.stringify(value)}
            </Fact>
          ))}
          <Fact name={t('field.id')}>
            <span className="mono">{event.id}</span>
          </Fact>
        </Facts>
      </RecordSection>
    </>
  );
}

function useAuditColumns(): readonly ListColumn<AuditEventRecord>[] {
  const { t } = useMessages();
  return useMemo(
    () => [
      {
        id: 'action',
        label: t('audit.action'),
        cell: ({ action, target }) => (
          <>
            <span className="row-title row-word mono">{action}</span>
            <span className="row-more">{target}</span>
          </>
        ),
      },
      {
        id: 'actor',
        label: t('audit.actor'),
        cell: ({ actor }) => <span className="wrap-anywhere">{actor || t('audit.nobody')}</span>,
      },
      { id: 'at', label: t('audit.at'), cell: ({ at }) => <RelativeTime at={at} /> },
      {
        id: 'address',
        label: t('audit.address'),
        isMinor: true,
        cell: ({ address }) =>
          address === null ? <span aria-hidden>–</span> : <span className="mono">{address}</span>,
      },
    ],
    [t],
  );
}

/** Filters by the subject of the entries; the server matches all actions of a noun. */
function useAuditFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  const options = auditNouns.map((id) => ({ id, name: t(`audit.noun.${id}`) }));
  return [{ param: 'action', label: t('audit.about'), options }];
}
