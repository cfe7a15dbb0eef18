/** The license of the account: its preview and how it stands. */
import type { AccountState } from '../../../shared/ipc/app-state.ts';
import { Fact } from '../../components/Facts.tsx';
import { licenseStatus } from '../../i18n/account-words.ts';
import { useSentences } from '../../i18n/use-sentences.ts';

export function LicenseFact({ account }: { readonly account: AccountState }) {
  const { t } = useSentences();
  const { license } = account;
  return (
    <Fact name={t('account.license')} more={license !== null && licenseStatus(license.status, t)}>
      {license === null ? t('account.none') : <span className="mono">{license.keyPreview}</span>}
    </Fact>
  );
}
