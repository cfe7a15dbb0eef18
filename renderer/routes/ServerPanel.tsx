/** The server of this installation: its address, which can be changed, and a link to its account page. */
import { ExternalLink } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { Field } from '../components/Field.tsx';
import { Panel } from '../components/Page.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction, useAttempt } from '../use-action.ts';

export function ServerPanel() {
  const { t } = useMessages();
  const attempt = useAttempt();
  const address = useApp((app) => app.server.address) ?? '';
  const hasAccountPage = useApp((app) => app.server.offers?.accountPage === true);
  const standard = useApp((app) => app.app.defaultServer);
  /** What the user has typed in the field; it shows the address in use until then. */
  const [typed, setTyped] = useState<string | null>(null);
  /** The address that the user is asked to confirm. */
  const [asked, setAsked] = useState<string | null>(null);
  const draft = typed ?? address;
  const next = draft.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (next !== '' && next !== address) setAsked(next);
  };
  return (
    <Panel title={t('settings.server')}>
      <form className="server-form" onSubmit={submit} noValidate>
        <Field
          id="setting-server"
          label={t('settings.serverAddress')}
          hint={t('settings.serverHint')}
          type="url"
          value={draft}
          onChange={setTyped}
        />
        <ActionButton type="submit" disabled={next === '' || next === address}>
          {t('settings.serverUse')}
        </ActionButton>
      </form>
      {standard !== undefined && standard !== address && (
        <p className="hint wrap-anywhere">
          {t('settings.serverDefault', { address: standard })}{' '}
          <button type="button" className="link" onClick={() => setAsked(standard)}>
            {t('signIn.useDefault')}
          </button>
        </p>
      )}
      {hasAccountPage && (
        <div className="panel-actions">
          <ActionButton icon={ExternalLink} onPress={() => attempt(() => bridge.openAccountPage())}>
            {t('settings.accountPage')}
          </ActionButton>
        </div>
      )}
      {asked !== null && (
        <ChangeServerDialog address={asked} onChanged={() => setTyped(null)} onClose={() => setAsked(null)} />
      )}
    </Panel>
  );
}

type ChangeServerDialogProps = {
  readonly address: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
};

/** Asks for confirmation, because changing the server signs the user out. */
function ChangeServerDialog({ address, onChanged, onClose }: ChangeServerDialogProps) {
  const { t } = useMessages();
  const action = useAction();
  const change = async () => {
    if ((await action.run(() => bridge.setServerAddress({ address }))) === null) return;
    onChanged();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('settings.serverTitle')}
      text={t('settings.serverText', { address })}
      confirmLabel={t('settings.serverChange')}
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void change()}
      onClose={onClose}
    />
  );
}
