/** Asks before everything that the app has stored on this computer is removed; can release this device first. */
import { useState } from 'react';
import { bridge } from '../bridge.ts';
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { SettingSwitch } from '../components/SettingControls.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

/** The app quits once the data is removed, so nothing follows. */
export function RemoveDataDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const action = useAction();
  const [chosen, setChosen] = useState(true);
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const isActivated = useApp((app) => app.thisDevice?.activated ?? false);
  const canRelease = useApp((app) => app.thisDevice !== null && app.thisDevice.activationId !== null) && isSignedIn;
  const release = canRelease && chosen;
  const change = (on: boolean) => {
    action.clear();
    setChosen(on);
  };
  return (
    <ConfirmDialog
      title={t('privacy.removeTitle')}
      text={
        <>
          <p>{t('privacy.removeText')}</p>
          {!isSignedIn && <p>{t('privacy.removeSignedOut')}</p>}
          {isSignedIn && isActivated && !release && <p>{t('privacy.removeActivated')}</p>}
        </>
      }
      confirmLabel={t('privacy.removeConfirm')}
      danger
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void action.run(() => bridge.removeData({ release }))}
      onClose={onClose}
    >
      {canRelease && (
        <SettingSwitch label={t('privacy.release')} hint={t('privacy.releaseHint')} on={chosen} onChange={change} />
      )}
    </ConfirmDialog>
  );
}
