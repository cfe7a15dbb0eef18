/** The sign-in screen: a card to sign in or create an account, and the server's address. */
import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { worksSignedOut } from '../../shared/ipc/works-signed-out.ts';
import { bridge } from '../bridge.ts';
import { ActionButton, IconButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { BrandMark } from '../components/Brand.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { LazyDialog, lazyComponent } from '../components/LazyContent.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { closeOpenRequest, useOpening } from '../open-request.ts';
import { goTo } from '../routing.ts';
import { showDoctor, showSignIn, showSupportFile, useApp, useStore } from '../store.ts';
import { type Action, useAction } from '../use-action.ts';
import { useReturnedFocus } from '../use-returned-focus.ts';
import { SignInForm, type SignInMode } from './SignInForm.tsx';
import { useAskedSetting } from './use-asked-setting.ts';

// Loaded on first use.
const OfflineActivationDialog = lazyComponent(
  async () => (await import('./OfflineActivation.tsx')).OfflineActivationDialog,
);
const UpdatesDialog = lazyComponent(async () => (await import('./UpdatesPanel.tsx')).UpdatesDialog);
const RemoveDataDialog = lazyComponent(async () => (await import('./RemoveDataDialog.tsx')).RemoveDataDialog);

export function SignIn() {
  const { t } = useMessages();
  const session = useApp((app) => app.session);
  const address = useApp((app) => app.server.address);
  const canGoBack = useApp(worksSignedOut);
  const reason = session.kind === 'signed-out' ? session.reason : null;

  // After a deliberate sign-out, the next user starts at the overview; after an expired session, the same screen
  // reopens.
  useEffect(() => {
    if (reason === null) goTo('overview');
  }, [reason]);

  const notice = (
    <>
      {reason !== null && <Banner tone="attention" role="status" title={t(`signIn.signedOut.${reason}`)} />}
      <WaitingLink />
    </>
  );
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        {address === null ? <FirstServer notice={notice} /> : <SignInCard address={address} notice={notice} />}
        {canGoBack && (
          <button type="button" className="link" onClick={() => showSignIn(false)}>
            {t('signIn.back')}
          </button>
        )}
        <HelpLinks />
      </div>
    </main>
  );
}

/** Shown while a link to activate this device is waiting for a sign-in. */
function WaitingLink() {
  const { t } = useMessages();
  const activation = useOpening((opening) => opening.activation);
  if (activation === null) return null;
  const decline = () => {
    closeOpenRequest(activation);
    // The pressed button disappears.
    document.querySelector<HTMLElement>('.sign-in-form input')?.focus();
  };
  return (
    <Banner
      tone="unknown"
      role="status"
      title={t('link.signInFirst', { preview: activation.keyPreview })}
      actions={<IconButton icon={X} label={t('common.cancel')} onPress={decline} />}
    />
  );
}

/** Links to what is possible without signing in. */
function HelpLinks() {
  const { t } = useMessages();
  const [shown, setShown] = useState<'offline' | 'updates' | 'remove' | null>(null);
  const hasData = useApp((app) => app.app.dataFolder !== null);
  const hasServer = useApp((app) => app.server.address !== null);
  const newVersion = useApp((app) => app.updates.available);
  const close = () => setShown(null);
  return (
    <div className="sign-in-help">
      <button type="button" className="link" onClick={() => setShown('offline')}>
        {t('offline.title')}
      </button>
      <button type="button" className="link" onClick={() => showDoctor(true)}>
        {t('doctor.title')}
      </button>
      <button type="button" className="link" onClick={() => showSupportFile(true)}>
        {t('diagnostics.saveSupport')}
      </button>
      {hasServer && (
        <button type="button" className="link" onClick={() => setShown('updates')}>
          {newVersion === null ? t('updates.title') : t('updates.available', { version: newVersion })}
        </button>
      )}
      {hasData && (
        <button type="button" className="link" onClick={() => setShown('remove')}>
          {t('privacy.remove')}
        </button>
      )}
      {shown === 'offline' && (
        <LazyDialog onClose={close}>
          <OfflineActivationDialog onClose={close} />
        </LazyDialog>
      )}
      {shown === 'updates' && (
        <LazyDialog onClose={close}>
          <UpdatesDialog onClose={close} />
        </LazyDialog>
      )}
      {shown === 'remove' && (
        <LazyDialog onClose={close}>
          <RemoveDataDialog onClose={close} />
        </LazyDialog>
      )}
    </div>
  );
}

/** Asks for a server address if the app has no default. */
function FirstServer({ notice }: { readonly notice: ReactNode }) {
  const { t } = useMessages();
  const action = useAction();
  const [address, setAddress] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void action.run(() => bridge.setServerAddress({ address: address.trim() }));
  };
  return (
    <>
      <header className="sign-in-header">
        <BrandMark />
        <h1>{t('signIn.chooseServer')}</h1>
      </header>
      {notice}
      <form className="sign-in-form" onSubmit={submit} noValidate>
        <p>{t('signIn.chooseServerText')}</p>
        <AddressField value={address} onChange={setAddress} action={action} />
        {action.failure !== null && <FailureAlert failure={action.failure} />}
        <ActionButton
          variant="primary"
          type="submit"
          pending={action.pending}
          disabled={address.trim() === ''}
          className="button-wide"
        >
          {t('signIn.chooseServerSubmit')}
        </ActionButton>
      </form>
    </>
  );
}

type AddressFieldProps = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly action: Action;
  readonly onEnter?: () => void;
  readonly onEscape?: () => void;
};

/** Has the focus when it appears, and when the connection doctor asks to change the address. */
function AddressField({ onChange, action, ...field }: AddressFieldProps) {
  const { t } = useMessages();
  useAskedSetting();
  return (
    <Field
      {...field}
      id="setting-server"
      label={t('signIn.serverAddress')}
      hint={t('signIn.serverHint')}
      type="url"
      onChange={(next) => {
        action.clear();
        onChange(next);
      }}
      autoFocus
    />
  );
}

function SignInCard({ address, notice }: { readonly address: string; readonly notice: ReactNode }) {
  const { t } = useMessages();
  const [chosen, setMode] = useState<SignInMode>('sign-in');
  const canSignUp = useApp((app) => app.server.offers?.signUp !== 'invited');
  const mode = canSignUp ? chosen : 'sign-in';
  const [draft, setDraft] = useState<string | null>(null);
  const server = useAction();
  const isAddressAsked = useStore((store) => store.askedSetting === 'server');
  // The field focuses itself once it is shown.
  useEffect(() => {
    if (isAddressAsked) setDraft((typed) => typed ?? address);
  }, [isAddressAsked, address]);
  return (
    <>
      <header className="sign-in-header">
        <BrandMark />
        <h1>{mode === 'sign-in' ? t('signIn.title') : t('signIn.titleNew')}</h1>
      </header>
      {notice}
      <SignInForm
        mode={mode}
        onMode={setMode}
        canSignUp={canSignUp}
        newAddress={draft === null || draft.trim() === address ? null : draft.trim()}
        server={server}
        onAddressSaved={() => setDraft(null)}
      />
      <ServerChoice address={address} draft={draft} onDraft={setDraft} action={server} />
    </>
  );
}

type ServerChoiceProps = {
  readonly address: string;
  /** The address typed so far; `null` while the field is hidden. */
  readonly draft: string | null;
  readonly onDraft: (draft: string | null) => void;
  readonly action: Action;
};

/**
 * Both Enter and signing in switch to the typed address; Escape and Cancel keep the present one. The default server is
 * offered while another one is used.
 */
function ServerChoice({ address, draft, onDraft, action }: ServerChoiceProps) {
  const { t } = useMessages();
  const button = useReturnedFocus(draft !== null);
  const cancel = () => {
    action.clear();
    onDraft(null);
  };
  const save = async (next = draft?.trim() ?? '') => {
    if (next !== '' && next !== address) {
      if ((await action.run(() => bridge.setServerAddress({ address: next }))) === null) return;
      showToast(t('signIn.serverInUse', { address: next }));
    }
    onDraft(null);
  };
  const standard = useApp((app) => app.app.defaultServer);
  const restoreDefault = () => {
    // The pressed button disappears.
    button.current?.focus();
    void save(standard);
  };
  const defaultLink =
    standard === undefined || standard === address ? null : (
      <button type="button" className="link" onClick={restoreDefault}>
        {t('signIn.useDefault')}
      </button>
    );
  if (draft === null) {
    return (
      <footer className="sign-in-server">
        <span className="wrap-anywhere">
          {t('signIn.server')}: {address}
        </span>
        <button ref={button} type="button" className="link" onClick={() => onDraft(address)}>
          {t('signIn.useAnother')}
        </button>
        {defaultLink}
      </footer>
    );
  }
  return (
    <footer className="sign-in-server sign-in-server-open">
      <AddressField value={draft} onChange={onDraft} action={action} onEnter={() => void save()} onEscape={cancel} />
      {action.failure !== null && <FailureAlert failure={action.failure} />}
      <button type="button" className="link" onClick={cancel}>
        {t('common.cancel')}
      </button>
      {defaultLink}
    </footer>
  );
}
