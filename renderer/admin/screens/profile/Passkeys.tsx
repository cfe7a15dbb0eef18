/** The own passkeys: add one, remove one. */
import { useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import type { AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { RelativeTime } from '../../../components/Times.tsx';
import { showToast } from '../../../components/toast-store.ts';
import { useAction } from '../../../use-action.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { describeDevice } from '../../session/describe-device.ts';
import { PasskeyUnavailable } from '../../session/PasskeyUnavailable.tsx';
import { addPasskey, canUsePasskeys } from '../../session/passkeys.ts';
import { useStaffSession } from '../../session/session-store.ts';

type Passkey = AdminResponseOf<'passkeys'>['passkeys'][number];

export function Passkeys() {
  const { t } = useMessages();
  const isPossible = useStaffSession().can_use_passkeys && canUsePasskeys();
  const result = useRead('passkeys');
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const failure = failureOf(result);
  return (
    <Panel title={t('passkey.title')} aside={isPossible && <AddButton />}>
      <p className="panel-intro">{t('passkey.intro')}</p>
      {!isPossible && <PasskeyUnavailable />}
      {failure !== null && <FailureAlert failure={failure} />}
      {result.data === undefined && failure === null && <Skeleton lines={2} />}
      {result.data?.passkeys.length === 0 && <p className="hint">{t('passkey.none')}</p>}
      <ul className="record-list" aria-label={t('passkey.title')}>
        {result.data?.passkeys.map((passkey) => (
          <li key={passkey.id} className="record-item">
            <Fingerprint className="icon record-icon" aria-hidden />
            <div className="record-item-text">
              <p className="wrap-anywhere">{passkey.name || t('passkey.unnamed')}</p>{' '}
              <p className="hint">
                {t('field.created')}: <Day at={passkey.created_at} />
                {passkey.last_used_at !== null && (
                  <>
                    {' · '}
                    {t('field.lastUsed')} <RelativeTime at={passkey.last_used_at} />
                  </>
                )}
              </p>
            </div>{' '}
            <ActionButton onPress={() => setRemoving(passkey)}>{t('passkey.remove')}</ActionButton>
          </li>
        ))}
      </ul>
      {removing !== null && <RemoveDialog passkey={removing} onClose={() => setRemoving(null)} />}
    </Panel>
  );
}

function AddButton() {
  const { t } = useMessages();
  const action = useAction();
  const queries = useQueryClient();
  const add = async () => {
    if ((await action.run(() => addPasskey(describeDevice(navigator.userAgent)))) === null) return;
    showToast(t('passkey.added'));
    void queries.invalidateQueries();
  };
  return (
    <>
      <ActionButton icon={Fingerprint} pending={action.pending} onPress={() => void add()}>
        {t('passkey.add')}
      </ActionButton>
      {action.failure !== null && <FailureAlert failure={action.failure} />}
    </>
  );
}

function RemoveDialog({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const { t } = useMessages();
  const name = passkey.name || t('passkey.unnamed');
  const { dialog } = useDialogChange('removePasskey', {
    request: () => ({ params: { id: passkey.id } }),
    success: t('passkey.removed', { name }),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('passkey.removeTitle', { name })}
      text={t('passkey.removeText')}
      name={name}
      confirmLabel={t('passkey.remove')}
    />
  );
}
