/** Confirms activating this device with the license key of a link. */
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { useMessages } from '../i18n/messages.ts';
import { type ActivationRequest, closeOpenRequest } from '../open-request.ts';
import { useApp } from '../store.ts';
import { LimitDialog } from './LimitDialog.tsx';
import { SlowActivation } from './SlowActivation.tsx';
import { useActivation } from './use-activation.ts';

type Props = { readonly request: ActivationRequest };

/** Nothing is sent before the user presses Activate. Only the main process has the key itself. */
export function LinkActivationDialog({ request }: Props) {
  const { t } = useMessages();
  const session = useApp((app) => app.session);
  const address = useApp((app) => app.server.address);
  const isActivated = useApp(
    ({ license, thisDevice }) =>
      license.kind === 'works' && thisDevice?.activated && thisDevice.license?.keyPreview === request.keyPreview,
  );
  const { action, limit, activateWith } = useActivation();
  const close = () => closeOpenRequest(request);
  const activate = async () => {
    const activated = await activateWith((options) => bridge.activateFromLink({ id: request.id, ...options }));
    if (activated) close();
  };
  if (limit !== null) return <LimitDialog limit={limit} />;
  return (
    <Modal title={t('link.activateTitle')} role="alertdialog" dismissable={false} onClose={close}>
      <div className="dialog">
        <h2>{t('link.activateTitle')}</h2>
        <p className="dialog-text">{t('link.activateText')}</p>
        {isActivated && <p className="dialog-text">{t('link.alreadyActivated', { preview: request.keyPreview })}</p>}
        <Facts>
          <Fact name={t('devices.licenseKey')}>
            <span className="mono">{request.keyPreview}</span>
          </Fact>
          <Fact name={t('account.title')}>{session.kind === 'signed-in' && session.user.email}</Fact>
          <Fact name={t('signIn.server')}>{address}</Fact>
        </Facts>
        <SlowActivation action={action} />
        {action.failure !== null && <FailureAlert failure={action.failure} />}
        <div className="dialog-actions">
          <ActionButton onPress={close}>{t('common.cancel')}</ActionButton>
          <ActionButton variant="primary" pending={action.pending} onPress={() => void activate()}>
            {t('link.activate')}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}
