/** Names the owner of a license, for confirmation dialogs. */
import type { LicenseRecord } from '../../../../shared/api/admin/licenses.ts';
import type { Translate } from '../../i18n/messages.ts';

export function ownerText({ email }: LicenseRecord, t: Translate): string {
  return email === null ? t('licenses.ofNobody') : t('licenses.ofOwner', { email });
}
