/** The staff screen: who may use the admin page, and in which role. */
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { StaffMemberRecord } from '../../../../shared/api/admin/staff.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Page, Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { RelativeTime } from '../../../components/Times.tsx';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { useMay, useStaffSession } from '../../session/session-store.ts';
import { useOffersSingleSignOn } from '../../session/sign-in-options.ts';
import {
  AddStaffDialog,
  MemberPasskeysDialog,
  type NewLink,
  RemoveStaffDialog,
  RoleDialog,
  StaffLinkDialog,
  useNewLink,
} from './StaffDialogs.tsx';

type StaffAct = { readonly kind: 'role' | 'passkeys' | 'remove'; readonly member: StaffMemberRecord };

export function Staff() {
  const { t } = useMessages();
  const result = useRead('staff');
  const mayAdd = useMay('addStaff');
  const [adding, setAdding] = useState(false);
  const [act, setAct] = useState<StaffAct | null>(null);
  const [link, setLink] = useState<NewLink | null>(null);
  const failure = failureOf(result);
  const add = (
    <ActionButton variant="primary" icon={UserPlus} onPress={() => setAdding(true)}>
      {t('staff.add')}
    </ActionButton>
  );
  return (
    <Page title={t('navigation.staff')} intro={t('staff.intro')} aside={mayAdd && add}>
      <Panel title={t('staff.members')}>
        {failure !== null && <ReadFailure failure={failure} />}
        {result.data === undefined && failure === null && <Skeleton lines={4} />}
        <ul className="record-list" aria-label={t('navigation.staff')}>
          {result.data?.staff.map((member) => (
            <StaffItem key={member.id} member={member} onAct={setAct} onLink={setLink} />
          ))}
        </ul>
        {!mayAdd && <p className="hint panel-more">{t('staff.ownersOnly')}</p>}
      </Panel>
      {adding && <AddStaffDialog onAdded={setLink} onClose={() => setAdding(false)} />}
      {act?.kind === 'role' && <RoleDialog member={act.member} onClose={() => setAct(null)} />}
      {act?.kind === 'passkeys' && <MemberPasskeysDialog member={act.member} onClose={() => setAct(null)} />}
      {act?.kind === 'remove' && <RemoveStaffDialog member={act.member} onClose={() => setAct(null)} />}
      {link !== null && <StaffLinkDialog link={link} onClose={() => setLink(null)} />}
    </Page>
  );
}

type StaffItemProps = {
  readonly member: StaffMemberRecord;
  readonly onAct: (act: StaffAct) => void;
  readonly onLink: (link: NewLink) => void;
};

function StaffItem({ member, onAct, onLink }: StaffItemProps) {
  const { t } = useMessages();
  const mayChange = useMay('setStaffRole');
  const { staff } = useStaffSession();
  const newLink = useNewLink(onLink);
  // Users of the identity provider need neither.
  const offersSingleSignOn = useOffersSingleSignOn();
  const isNew = !member.has_password && member.passkeys === 0 && !offersSingleSignOn;
  return (
    <li className="record-item staff-item">
      <div className="record-item-text">
        <p className="wrap-anywhere">
          {member.email} {member.id === staff.id && <span className="badge badge-accent">{t('staff.you')}</span>}
        </p>{' '}
        <p className="hint">
          {t(`role.${member.role}.name`)} · {t('staff.passkeys', { count: member.passkeys })}
          {member.last_used_at !== null && (
            <>
              {' · '}
              {t('field.lastUsed')} <RelativeTime at={member.last_used_at} />
            </>
          )}
          {isNew && <> · {t('staff.notYet')}</>}
        </p>
        {newLink.failure !== null && <FailureAlert failure={newLink.failure} />}
      </div>{' '}
      {mayChange && (
        <div className="record-item-actions">
          <ActionButton onPress={() => onAct({ kind: 'role', member })}>{t('staff.changeRole')}</ActionButton>
          <ActionButton pending={newLink.pending} onPress={() => void newLink.create(member)}>
            {t('staff.newLink')}
          </ActionButton>
          {member.passkeys > 0 && (
            <ActionButton onPress={() => onAct({ kind: 'passkeys', member })}>{t('passkey.title')}</ActionButton>
          )}
          <ActionButton onPress={() => onAct({ kind: 'remove', member })}>{t('staff.remove')}</ActionButton>
        </div>
      )}
    </li>
  );
}
