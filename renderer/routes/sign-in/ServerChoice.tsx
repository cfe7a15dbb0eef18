/** The server's address, small, and a field to use another. */
import { Link } from 'react-aria-components';
import { bridge } from '../../bridge.ts';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Field } from '../../components/Field.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { notify } from '../../store.ts';
import type { Act } from '../../use-act.ts';

type Props = {
  readonly address: string;
  /** What is being typed; `null` while the field is not shown. */
  readonly draft: string | null;
  readonly onDraft: (draft: string | null) => void;
  readonly act: Act;
};

/** Enter uses the address at once; signing in uses it as well. */
export function ServerChoice({ address, draft, onDraft, act }: Props) {
  const { t } = useSentences();
  const use = async () => {
    const next = draft?.trim() ?? '';
    if (next !== '' && next !== address) {
      if ((await act.run(() => bridge.setServerAddress({ address: next }))) === null) return;
      notify(t('signIn.serverInUse', { address: next }));
    }
    onDraft(null);
  };
  if (draft === null) {
    return (
      <footer className="sign-in-server">
        <span className="wrap-anywhere">
          {t('signIn.server')}: {address}
        </span>
        <Link className="link" onPress={() => onDraft(address)}>
          {t('signIn.useAnother')}
        </Link>
      </footer>
    );
  }
  return (
    <footer className="sign-in-server sign-in-server-open">
      <Field
        label={t('signIn.serverAddress')}
        hint={t('signIn.serverHint')}
        type="url"
        value={draft}
        onChange={(next) => {
          act.clear();
          onDraft(next);
        }}
        onEnter={() => void use()}
        autoFocus
      />
      {act.failure !== null && <FailureNotice failure={act.failure} />}
    </footer>
  );
}
