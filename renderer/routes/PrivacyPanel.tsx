/** What the app sends and to whom, what it never sends, and what it stores, which can be removed. */
import { FolderOpen, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { CopyButton } from '../components/CopyButton.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Panel } from '../components/Page.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { RemoveDataDialog } from './RemoveDataDialog.tsx';

export function PrivacyPanel() {
  const { t } = useMessages();
  const address = useApp((app) => app.server.address);
  const folder = useApp((app) => app.app.dataFolder);
  return (
    <Panel title={t('privacy.title')} className="panel-privacy">
      <Facts>
        {address !== null && <Fact name={t('privacy.sent')}>{t('privacy.sentText', { address })}</Fact>}
        <Fact name={t('privacy.kept')}>{t('privacy.keptText')}</Fact>
        <Fact name={t('privacy.stored')}>{t('privacy.storedText')}</Fact>
        {folder !== null && (
          <Fact name={t('privacy.folder')}>
            <span className="mono">{folder}</span>
          </Fact>
        )}
      </Facts>
      {folder !== null && <FolderActions folder={folder} />}
    </Panel>
  );
}

/** Only Electron can open a folder. */
function FolderActions({ folder }: { readonly folder: string }) {
  const { t } = useMessages();
  const action = useAction();
  const [removing, setRemoving] = useState(false);
  const canOpen = useApp((app) => app.app.runtime === 'electron');
  return (
    <>
      {action.failure !== null && <FailureAlert failure={action.failure} />}
      <div className="panel-actions">
        {canOpen && (
          <ActionButton
            icon={FolderOpen}
            pending={action.pending}
            onPress={() => void action.run(() => bridge.openDataFolder())}
          >
            {t('privacy.open')}
          </ActionButton>
        )}
        <CopyButton text={folder} label={t('privacy.copyPath')} />
        <ActionButton icon={Trash2} onPress={() => setRemoving(true)}>
          {t('privacy.remove')}
        </ActionButton>
      </div>
      {removing && <RemoveDataDialog onClose={() => setRemoving(false)} />}
    </>
  );
}
