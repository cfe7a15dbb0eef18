/** The account's license: its key preview, and replacing the key if the server supports it. */
import type { LicenseSummary } from '../../shared/ipc/app-state.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { Panel } from '../components/Page.tsx';
import { licenseStatus } from '../i18n/account-messages.ts';
import { planName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { accountOf, showKeyReplacement, useApp } from '../store.ts';

export function LicenseKeyPanel() {
  const { t } = useMessages();
  const account = useApp(accountOf);
  const isOffered = useApp((app) => app.server.accountManagement === 'available');
  if (account === null || !isOffered) return null;
  const { license } = account;
  const isRevoked = license?.status === 'revoked';
  return (
    <Panel
      title={t('licenseKey.title')}
      headingId="setting-license"
      aside={
        license !== null &&
        !isRevoked && (
          <ActionButton onPress={() => showKeyReplacement({ licenseKey: null })}>
            {t('licenseKey.replace')}
          </ActionButton>
        )
      }
    >
      {license === null ? <p className="hint">{t('licenseKey.none')}</p> : <KeyFacts license={license} />}
      {license !== null && (
        <p className="hint panel-more">{isRevoked ? t('licenseKey.revoked') : t('licenseKey.hint')}</p>
      )}
    </Panel>
  );
}

function KeyFacts({ license }: { readonly license: LicenseSummary }) {
  const { t } = useMessages();
  return (
    <Facts>
      <Fact name={t('licenseKey.key')} more={licenseStatus(license.status, t)}>
        <span className="mono">{license.keyPreview}</span>
      </Fact>
      <Fact name={t('overview.plan')}>{planName(license.plan, t)}</Fact>
    </Facts>
  );
}
