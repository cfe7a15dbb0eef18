/**
 * The account's API key, in the window and on the account page: generated, shown once and replaced, if the plan
 * includes it.
 */
import { Check, Copy, KeyRound, Lock } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ApiKeyState, FeatureOffReason } from '../../shared/ipc/app-state.ts';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Panel } from '../components/Page.tsx';
import { EmptyState } from '../components/Placeholders.tsx';
import { showToast } from '../components/toast-store.ts';
import { featureOffMessage } from '../i18n/feature-message.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { isAccountPage, setNewApiKey, useApp, useStore } from '../store.ts';
import { useAction } from '../use-action.ts';
import { useHeadingFocus } from '../use-heading-focus.ts';
import { PlansButton } from './FeaturesPanel.tsx';
import { ServerTime, ServerTimedText } from './ServerTime.tsx';

/** The heading of the panel with the key. */
const headingId = 'api-key-heading';

export function ApiKeyPanels() {
  const { t } = useMessages();
  const access = useApp((app) => app.features.find(({ feature }) => feature === 'api_access'));
  const known = useApp((app) => app.apiKey);
  const newKey = useStore((store) => store.newApiKey);
  const [found, setFound] = useState(false);
  const [reported, setReported] = useState<ReportedKey | undefined>();
  const isNew = newKey !== null || known?.unsaved === true;
  const gated = access !== undefined && !access.on;
  const hasValidKey = known !== null && known.revoked === null;
  useEffect(() => void runCommand(() => bridge.checkApiKey()), []);
  useHeadingFocus(headingId, isNew);
  return (
    <>
      {isNew && reported !== undefined && <ReportedKeyBanner reported={reported} />}
      {isNew && <NewKey apiKey={newKey} />}
      {known !== null && known.revoked !== null && <RevokedKeyBanner prefix={known.prefix} revoked={known.revoked} />}
      {!isNew && hasValidKey && (
        <>
          {found && (
            <Banner tone="unknown" role="status" title={t('apiKey.existing')}>
              {t('apiKey.existingHint')}
            </Banner>
          )}
          <ExistingKey apiKey={known} canReplace={!gated} onFound={() => setFound(true)} onReported={setReported} />
        </>
      )}
      {!isNew && gated && <ApiKeyUnavailable reason={access.reason} />}
      {!isNew && !hasValidKey && !gated && (
        <GenerateKey isFirst={known === null} onFound={() => setFound(true)} onReported={setReported} />
      )}
    </>
  );
}

/** The previous key, which someone found and reported. */
type ReportedKey = { readonly prefix: string; readonly at: string };
type OnReported = (reported: ReportedKey | undefined) => void;

function ReportedKeyBanner({ reported: { prefix, at } }: { readonly reported: ReportedKey }) {
  const { t } = useMessages();
  return (
    <Banner tone="attention" role="alert" title={t('apiKey.reported')}>
      <ServerTimedText text={t('apiKey.reportedText', { prefix })} at={at} />
    </Banner>
  );
}

/** Shows the key that no longer works, until there is a new one. */
function RevokedKeyBanner({ prefix, revoked }: Pick<ApiKeyState, 'prefix'> & { readonly revoked: RevokedKey }) {
  const { t } = useMessages();
  const name = revoked.reported ? 'reportedNow' : 'revokedNow';
  return (
    <Banner tone="blocked" role="alert" title={t(`apiKey.${name}`)}>
      <ServerTimedText text={t(`apiKey.${name}Text`, { prefix })} at={revoked.at} />
    </Banner>
  );
}

type RevokedKey = NonNullable<ApiKeyState['revoked']>;

type GenerateKeyProps = { readonly isFirst: boolean; readonly onFound: () => void; readonly onReported: OnReported };

/** Generates the first key or a replacement for a revoked one, or finds the prefix of the existing one. */
function GenerateKey({ isFirst, onFound, onReported }: GenerateKeyProps) {
  const { t } = useMessages();
  const action = useAction();
  const onPage = useApp(isAccountPage);
  const none = isFirst ? 'none' : 'noneValid';
  const generate = async () => {
    const result = await action.run(() => bridge.generateApiKey({ replace: false }));
    if (result?.value.kind === 'generated') {
      onReported(result.value.reported);
      setNewApiKey(result.value.apiKey);
    }
    if (result?.value.kind === 'existing') onFound();
  };
  return (
    <div className="panel">
      {action.failure !== null && <FailureAlert failure={action.failure} />}
      <EmptyState
        icon={KeyRound}
        title={onPage && isFirst ? t('accountPage.noApiKey') : t(`apiKey.${none}`)}
        hint={t(`apiKey.${none}Hint`)}
      >
        <ActionButton variant="primary" pending={action.pending} onPress={() => void generate()}>
          {t('apiKey.generate')}
        </ActionButton>
      </EmptyState>
    </div>
  );
}

/**
 * `apiKey` is `null` after the window was reopened: the main process can still copy the key, but it is not shown again.
 */
function NewKey({ apiKey }: { readonly apiKey: string | null }) {
  const { t } = useMessages();
  const copying = useAction();
  const saving = useAction();
  const [copied, setCopied] = useState(false);
  const onPage = useApp(isAccountPage);
  const copy = async () => setCopied((await copying.run(() => bridge.copyApiKey())) !== null);
  const confirm = async () => {
    if ((await saving.run(() => bridge.confirmApiKeySaved())) === null) return;
    setNewApiKey(null);
    showToast(t('apiKey.savedToast'));
  };
  const failure = copying.failure ?? saving.failure;
  return (
    <Panel
      title={apiKey === null ? t('apiKey.waiting') : t('apiKey.yourKey')}
      className="panel-accent"
      headingId={headingId}
    >
      <p className="panel-intro">{apiKey === null ? t('apiKey.waitingHint') : t('apiKey.once')}</p>
      <div className="secret">
        {apiKey !== null && (
          <output className="secret-value mono" aria-label={t('apiKey.yourKey')}>
            {apiKey}
          </output>
        )}
        <ActionButton icon={copied ? Check : Copy} pending={copying.pending} onPress={() => void copy()}>
          {t('secret.copy')}
        </ActionButton>
      </div>
      <p className="hint hint-good secret-copied" aria-live="polite">
        {copied && t(onPage ? 'common.copied' : 'secret.clipboardCleared')}
      </p>
      {failure !== null && <FailureAlert failure={failure} />}
      <ActionButton variant="primary" pending={saving.pending} onPress={() => void confirm()}>
        {t('secret.saved')}
      </ActionButton>
    </Panel>
  );
}

type ExistingKeyProps = {
  readonly apiKey: ApiKeyState;
  readonly canReplace: boolean;
  readonly onFound: () => void;
  readonly onReported: OnReported;
};

/** A key of which only the prefix is known. */
function ExistingKey({ apiKey, canReplace, onFound, onReported }: ExistingKeyProps) {
  const { t } = useMessages();
  const [confirming, setConfirming] = useState(false);
  return (
    <Panel
      title={t('apiKey.known')}
      headingId={headingId}
      aside={canReplace && <ActionButton onPress={() => setConfirming(true)}>{t('apiKey.replaceKey')}</ActionButton>}
    >
      <Facts>
        <Fact name={t('apiKey.masked')}>
          <span className="mono">{apiKey.prefix}••••••••</span>
        </Fact>
        <Fact name={t('apiKey.created')}>
          <ServerTime at={apiKey.createdAt} />
        </Fact>
      </Facts>
      <p className="hint panel-more">{apiKey.isLegacy ? t('apiKey.legacy') : t('apiKey.howToText')}</p>
      {confirming && (
        <ReplaceKeyDialog
          prefix={apiKey.prefix}
          onFound={onFound}
          onReported={onReported}
          onClose={() => setConfirming(false)}
        />
      )}
    </Panel>
  );
}

type ReplaceKeyDialogProps = {
  readonly prefix: string;
  /** Called if another device has replaced the key since the lost response that this request repeats. */
  readonly onFound: () => void;
  readonly onReported: OnReported;
  readonly onClose: () => void;
};

function ReplaceKeyDialog({ prefix, onFound, onReported, onClose }: ReplaceKeyDialogProps) {
  const { t } = useMessages();
  const action = useAction();
  const replace = async () => {
    const result = await action.run(() => bridge.generateApiKey({ replace: true }));
    if (result === null) return;
    if (result.value.kind === 'generated') {
      onReported(result.value.reported);
      setNewApiKey(result.value.apiKey);
    } else onFound();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('apiKey.replaceTitle')}
      text={t('apiKey.replaceText', { prefix })}
      confirmLabel={t('apiKey.replace')}
      danger
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void replace()}
      onClose={onClose}
    />
  );
}

function ApiKeyUnavailable({ reason }: { readonly reason: FeatureOffReason }) {
  const { t } = useMessages();
  const leaseProblem = useApp((app) => app.lease.problem);
  return (
    <div className="panel">
      <EmptyState icon={Lock} title={t('apiKey.gateTitle')} hint={featureOffMessage(reason, leaseProblem, t)}>
        {reason.kind === 'plan' && <PlansButton />}
      </EmptyState>
    </div>
  );
}
