/** Phrases warnings about unusual activity for the user, in each language. */
import type { Language } from '../../shared/ipc/language.ts';
import type { Warning } from './heartbeat.rules.ts';

/** Returns the warning as one sentence. */
export function describeWarning(warning: Warning, language: Language): string {
  switch (warning.kind) {
    case 'other user':
      return {
        en: 'This device was used with another account in the last 24 hours.',
        de: 'Dieses Gerät wurde in den letzten 24 Stunden mit einem anderen Konto verwendet.',
        ja: 'このデバイスは、過去 24 時間以内に別のアカウントで使用されました。',
      }[language];
    case 'not activated':
      return {
        en: 'This device is not activated on your license.',
        de: 'Dieses Gerät ist nicht mit Ihrer Lizenz aktiviert.',
        ja: 'このデバイスは、お使いのライセンスで認証されていません。',
      }[language];
    case 'several installations':
      return {
        en: 'This device is used by more than one installation at a time, for example by copies of a virtual machine.',
        de: 'Dieses Gerät wird von mehreren Installationen gleichzeitig verwendet, zum Beispiel von Kopien einer virtuellen Maschine.',
        ja: 'このデバイスは、仮想マシンのコピーなど、複数のインストールで同時に使用されています。',
      }[language];
    case 'devices':
      return describeDevices(warning, language);
    case 'networks':
      return {
        en: `This device was used on ${warning.count} different networks in the last hour.`,
        de: `Dieses Gerät wurde in der letzten Stunde in ${warning.count} verschiedenen Netzwerken verwendet.`,
        ja: `このデバイスは、過去 1 時間に ${warning.count} 個の異なるネットワークで使用されました。`,
      }[language];
  }
}

function describeDevices({ count, allowed }: Extract<Warning, { kind: 'devices' }>, language: Language): string {
  return {
    en: `Your account was used on ${count} ${count === 1 ? 'device' : 'devices'} in the last 15 minutes, and your plan allows ${allowed}.`,
    de: `Ihr Konto wurde in den letzten 15 Minuten auf ${count} ${count === 1 ? 'Gerät' : 'Geräten'} verwendet, Ihr Tarif erlaubt ${allowed}.`,
    ja: `お使いのアカウントは過去 15 分間に ${count} 台のデバイスで使用されましたが、プランの上限は ${allowed} 台です。`,
  }[language];
}
