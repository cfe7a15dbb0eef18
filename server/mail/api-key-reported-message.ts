/** The mail to the owner of an API key that was reported and revoked. */
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose, type MailOf } from './mail.ts';

type ReportedMail = MailOf<'api_key_reported'>;

/** Names the key by its prefix, never in full. */
export function composeApiKeyReported(mail: ReportedMail, language: Language): Content {
  const { email, key_prefix: prefix, revoked_at, place } = mail;
  const time = new Date(revoked_at).toLocaleString(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return {
    en: compose(
      'Your API key was revoked',
      `Somebody found the API key ${prefix}… of the account ${email} in public and reported it. It was revoked on ${time} UTC and no longer works, not in your own programs either.`,
      place && `Where it was found: ${place}`,
      'Open “API key” in the app, generate a new key and give it to your programs. Find out how the old key became public, so that the new one stays secret.',
    ),
    de: compose(
      'Ihr API-Schlüssel wurde widerrufen',
      `Der API-Schlüssel ${prefix}… des Kontos ${email} war öffentlich zu finden und wurde gemeldet. Er wurde am ${time} UTC widerrufen und funktioniert nicht mehr, auch nicht in Ihren eigenen Programmen.`,
      place && `Fundort: ${place}`,
      'Öffnen Sie in der App „API-Schlüssel“, erzeugen Sie einen neuen Schlüssel und hinterlegen Sie ihn in Ihren Programmen. Finden Sie heraus, wie der alte Schlüssel öffentlich wurde, damit der neue geheim bleibt.',
    ),
    ja: compose(
      'API キーが無効になりました',
      `アカウント ${email} の API キー ${prefix}… が公開された場所で見つかり、報告されました。キーは ${time}（UTC）に無効になり、お客様のプログラムでも使用できなくなりました。`,
      place && `見つかった場所：${place}`,
      'アプリの「API キー」を開いて新しいキーを生成し、お使いのプログラムに設定してください。また、新しいキーが漏えいしないよう、以前のキーが公開された原因を確認してください。',
    ),
  }[language];
}
