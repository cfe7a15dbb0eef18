/** The reminder that a license, subscription or trial ends soon. */
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose, type MailOf } from './mail.ts';
import { formatDate } from './messages.ts';

type Reminder = MailOf<'reminder'>;

export function composeReminder({ ending, email, plan, ends_at }: Reminder, language: Language): Content {
  const date = formatDate(ends_at, language);
  const preview = 'key_preview' in ending ? ending.key_preview : '';
  return {
    en: {
      license: compose(
        `Your license ends on ${date}`,
        `Your license ${preview} for the plan ${plan} (account ${email}) ends on ${date}.`,
        'Until then nothing changes. To keep using it, contact the person who issued your license.',
      ),
      subscription: compose(
        `Your subscription ends on ${date}`,
        `Your subscription to the plan ${plan} (account ${email}) ends on ${date} and will not renew.`,
        'Until then nothing changes. If you want to keep it, renew it before that day.',
      ),
      trial: compose(
        `Your trial ends on ${date}`,
        `Your trial of the plan ${plan} (account ${email}) ends on ${date}.`,
        'Until then nothing changes. If you want to keep the plan, subscribe before that day.',
      ),
    },
    de: {
      license: compose(
        `Ihre Lizenz läuft am ${date} ab`,
        `Ihre Lizenz ${preview} für den Tarif ${plan} (Konto ${email}) läuft am ${date} ab.`,
        'Bis dahin ändert sich nichts. Wenn Sie sie weiter nutzen möchten, wenden Sie sich an Ihren Lizenzgeber.',
      ),
      subscription: compose(
        `Ihr Abonnement endet am ${date}`,
        `Ihr Abonnement des Tarifs ${plan} (Konto ${email}) endet am ${date} und verlängert sich nicht.`,
        'Bis dahin ändert sich nichts. Wenn Sie es behalten möchten, verlängern Sie es vorher.',
      ),
      trial: compose(
        `Ihre Testphase endet am ${date}`,
        `Ihre Testphase für den Tarif ${plan} (Konto ${email}) endet am ${date}.`,
        'Bis dahin ändert sich nichts. Wenn Sie den Tarif behalten möchten, schließen Sie vorher ein Abonnement ab.',
      ),
    },
    ja: {
      license: compose(
        `ライセンスの有効期限は ${date} です`,
        `アカウント ${email} のライセンス ${preview}（${plan} プラン）の有効期限は ${date} です。`,
        'それまではこれまでどおりご利用いただけます。引き続きご利用になる場合は、ライセンスの発行者にお問い合わせください。',
      ),
      subscription: compose(
        `サブスクリプションは ${date} に終了します`,
        `アカウント ${email} の ${plan} プランのサブスクリプションは ${date} に終了し、自動更新されません。`,
        'それまではこれまでどおりご利用いただけます。継続をご希望の場合は、終了前に更新してください。',
      ),
      trial: compose(
        `試用期間は ${date} に終了します`,
        `アカウント ${email} の ${plan} プランの試用期間は ${date} に終了します。`,
        'それまではこれまでどおりご利用いただけます。プランの継続をご希望の場合は、終了前にサブスクリプションをお申し込みください。',
      ),
    },
  }[language][ending.kind];
}
