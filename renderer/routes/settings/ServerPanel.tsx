/** The server's address; another one signs out here, so it is asked first. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { Field } from '../../components/Field.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';
import { useAct } from '../../use-act.ts';

export function ServerPanel() {
  const { t } = useSentences();
  const address = useApp((app) => app.server.address);
  const [draft, setDraft] = useState(address);
  const [asking, setAsking] = useState(false);
  const act = useAct();
  const next = draft.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (next !== '' && next !== address) setAsking(true);
  };
  const close = () => {
    act.clear();
    setAsking(false);
  };
  return (
    <Panel title={t('settings.server')}>
      <form className="server-form" onSubmit={submit} noValidate>
        <Field
          label={t('settings.serverAddress')}
          hint={t('settings.serverHint')}
          type="url"
          value={draft}
          onChange={setDraft}
        />
        <ActButton type="submit" disabled={next === '' || next === address}>
          {t('settings.serverUse')}
        </ActButton>
      </form>
      {asking && (
        <Confirm
          title={t('settings.serverTitle')}
          text={t('settings.serverText', { address: next })}
          act={t('settings.serverChange')}
          pending={act.pending}
          failure={act.failure}
          onConfirm={() =>
            void act.run(() => bridge.setServerAddress({ address: next })).then((done) => done && close())
          }
          onClose={close}
        />
      )}
    </Panel>
  );
}
