/** Activates this device with a license key; once activated, shows its license. */
import { type FormEvent, useEffect, useState } from 'react';
import type { ThisDevice } from '../../shared/ipc/app-state.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ToneIcon } from '../components/Banner.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { LazyDialog, lazyComponent } from '../components/LazyContent.tsx';
import { Panel } from '../components/Page.tsx';
import { useSlowServerToast } from '../components/SlowServer.tsx';
import { activationCount } from '../i18n/account-messages.ts';
import { planName } from '../i18n/format.ts';
import { hintForLicenseKey, type LicenseKeyHint } from '../i18n/license-key-hint.ts';
import { type Translate, useMessages } from '../i18n/messages.ts';
import { askSetting, canActivateAgain, endAskLicenseKey, licenseKeyFieldId, useApp, useStore } from '../store.ts';
import { useReturnedFocus } from '../use-returned-focus.ts';
import { SlowActivation, useSlowActivation } from './SlowActivation.tsx';
import { useActivation } from './use-activation.ts';

// Loaded on first use.
const LimitDialog = lazyComponent(async () => (await import('./LimitDialog.tsx')).LimitDialog);

type KeyProps = {
  /** As typed so far. */
  readonly licenseKey: string;
  readonly onLicenseKey: (licenseKey: string) => void;
};

export function ActivatePanel(key: KeyProps) {
  const { t } = useMessages();
  // For a press that asks for the key and whose button is gone; a link of the sidebar keeps the focus.
  useEffect(() => {
    const { activeElement, body } = document;
    if (activeElement === body || activeElement?.id === 'content') document.getElementById(licenseKeyFieldId)?.focus();
  }, []);
  const asked = useStore((store) => store.licenseKeyAsked);
  useEffect(() => {
    if (!asked) return;
    document.getElementById(licenseKeyFieldId)?.focus();
    endAskLicenseKey();
  }, [asked]);
  const device = useApp((app) => app.thisDevice);
  const blocked = useApp((app) => app.license.kind === 'blocked');
  const released = useApp(canActivateAgain);
  if (device?.activated && !blocked) return <ActivatedPanel device={device} {...key} />;
  // Its key is not the one that is asked for.
  const stored = blocked ? device?.license?.keyPreview : undefined;
  const preview = released ? device?.license?.keyPreview : undefined;
  if (preview === undefined) {
    return (
      <Panel title={t('devices.activateTitle')}>
        <p className="panel-intro">
          {stored === undefined ? t('devices.activateIntro') : t('devices.blockedIntro', { preview: stored })}
        </p>
        <ActivateForm {...key} />
        <LostKey />
      </Panel>
    );
  }
  return (
    <Panel title={t('devices.activateTitle')}>
      <p className="panel-intro">{t('devices.releasedIntro', { preview })}</p>
      <ActivateAgain />
      <div className="panel-more">
        <ActivateForm {...key} />
      </div>
    </Panel>
  );
}

/** For a user who has a license but no longer its key, such as on a new computer: only a new key can be shown. */
function LostKey() {
  const { t } = useMessages();
  const license = useApp((app) => (app.session.kind === 'signed-in' ? (app.session.account?.license ?? null) : null));
  const isOffered = useApp((app) => app.server.accountManagement === 'available');
  if (license?.status !== 'active' || !isOffered) return null;
  return (
    <p className="hint panel-more">
      {t('devices.keyLost', { preview: license.keyPreview })}{' '}
      <button type="button" className="link" onClick={() => askSetting('license')}>
        {t('devices.newKey')}
      </button>
    </p>
  );
}

/** Shows the license of an activated device, with an option to enter another key. */
function ActivatedPanel({ device, ...key }: KeyProps & { readonly device: ThisDevice }) {
  const { t } = useMessages();
  const [enteringKey, setEnteringKey] = useState(false);
  const { license } = device;
  const count = activationCount(license);
  const button = useReturnedFocus(enteringKey);
  return (
    <Panel
      title={t('devices.activatedTitle')}
      aside={
        <ActionButton ref={button} variant="quiet" onPress={() => setEnteringKey(!enteringKey)}>
          {enteringKey ? t('common.cancel') : t('devices.anotherKey')}
        </ActionButton>
      }
    >
      <div className="activated-license">
        <ToneIcon tone="good" />
        <p className="activated-license-text">
          <bdi className="wrap-anywhere">{device.name || t('devices.unnamed')}</bdi>{' '}
          {license !== null && (
            <>
              <span className="mono">{license.keyPreview}</span> <span>{planName(license.plan, t)}</span>{' '}
              {count !== null && <span className="tabular">{t('overview.activationsUsed', count)}</span>}
            </>
          )}
        </p>
      </div>
      {enteringKey && (
        <div className="panel-more">
          <ActivateForm {...key} onClose={() => setEnteringKey(false)} />
        </div>
      )}
    </Panel>
  );
}

type ActivateFormProps = KeyProps & {
  /** For a form that opens on request: it takes the focus; Escape closes it, and so does an activation. */
  readonly onClose?: () => void;
};

/** Gives hints while the key is typed; at the device limit, offers to replace a device. */
function ActivateForm({ licenseKey: key, onLicenseKey: setKey, onClose }: ActivateFormProps) {
  const { t } = useMessages();
  const [missing, setMissing] = useState(false);
  const { action, limit, activate } = useActivation();
  const { clear } = action;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said of another key is over, also after a paste
  useEffect(() => {
    clear();
    setMissing(false);
  }, [key]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() === '') {
      setMissing(true);
      return document.getElementById(licenseKeyFieldId)?.focus();
    }
    if (await activate(key)) onClose?.();
  };

  return (
    <form className="activate" onSubmit={submit} noValidate>
      <Field
        id={licenseKeyFieldId}
        label={t('devices.licenseKey')}
        value={key}
        onChange={setKey}
        onEscape={onClose}
        mono
        autoFocus={onClose !== undefined}
        autoComplete="off"
        placeholder="SVC-XXXX-XXXX-XXXX-XXXX"
        hint={<LicenseKeyHintText hint={hintForLicenseKey(key)} />}
        error={missing ? t('devices.licenseKeyMissing') : null}
      />
      <ActionButton variant="primary" type="submit" pending={action.pending}>
        {t('devices.activate')}
      </ActionButton>
      <SlowActivation action={action} />
      {action.failure !== null && <FailureAlert failure={action.failure} />}
      {limit !== null && (
        <LazyDialog onClose={() => limit.close(false)}>
          <LimitDialog limit={limit} />
        </LazyDialog>
      )}
    </form>
  );
}

const hintClasses: Readonly<Record<LicenseKeyHint['kind'], string>> = {
  empty: '',
  good: 'hint-good',
  incomplete: '',
  'too-long': 'hint-attention',
  'bad-character': 'hint-attention',
  mistyped: 'hint-attention',
  'other-shape': 'hint-attention',
};

function LicenseKeyHintText({ hint }: { readonly hint: LicenseKeyHint }) {
  const { t } = useMessages();
  return <span className={hintClasses[hint.kind]}>{hintText(hint, t)}</span>;
}

function hintText(hint: LicenseKeyHint, t: Translate): string {
  switch (hint.kind) {
    case 'empty':
      return t('devices.licenseKeyHint');
    case 'good':
      return t('devices.keyLooksRight');
    case 'incomplete':
      return t('devices.keyIncomplete', { count: hint.missing });
    case 'too-long':
      return t('devices.keyTooLong');
    case 'bad-character':
      return t('devices.keyBadCharacter', { character: hint.character });
    case 'mistyped':
      return t('devices.keyMistyped');
    case 'other-shape':
      return t('devices.keyOtherShape');
  }
}

/**
 * Activates a released device with the key it still has. Shows failures itself unless `onFailure` is given, and then a
 * slow server as a toast.
 */
export function ActivateAgain({ onFailure }: { readonly onFailure?: (failure: Failure) => void }) {
  const { t } = useMessages();
  const { action, limit, activate } = useActivation(onFailure);
  const { pending, failure } = action;
  useSlowServerToast({ ...useSlowActivation(action), pending: pending && onFailure !== undefined });
  return (
    <>
      <ActionButton variant="primary" pending={pending} onPress={() => void activate('')}>
        {t('license.activateAgain')}
      </ActionButton>
      {onFailure === undefined && <SlowActivation action={action} />}
      {failure !== null && onFailure === undefined && <FailureAlert failure={failure} />}
      {limit !== null && (
        <LazyDialog onClose={() => limit.close(false)}>
          <LimitDialog limit={limit} />
        </LazyDialog>
      )}
    </>
  );
}
