/** Japanese messages about app updates. */
import type { updatesEn } from './updates-en.ts';

export const updatesJa: typeof updatesEn = {
  title: 'アップデート',
  current: '現在のバージョンは {{version}} です。',
  check: 'アップデートを確認',
  install: 'インストールして再起動',
  later: '後で',
  whatsNew: '新機能',
  updated: 'Latchkey をバージョン {{version}} にアップデートしました',
  updatedFrom: '以前のバージョンは {{version}} です。',
  download: 'ブラウザーでダウンロード',
  checkedAt: '最終確認',
  available: 'バージョン {{version}} を利用できます',
  availableText: '発行元の署名を確認済みです。ダウンロードしてインストールした後、Latchkey を再起動します。',
  staged: 'バージョン {{version}} をダウンロードしました。Latchkey を再起動します。',
  installing: 'ダウンロードしてインストールしています…',
  downloading: 'ダウンロード中',
  featuresStop:
    'お使いのライセンスの対象は{{date}}までにリリースされたバージョンですが、このバージョンはそれより新しいものです。アップデートすると、更新手続きをするまで機能が使えなくなります。',
  reason: {
    'up-to-date': '最新のバージョンです。',
    'not-published': 'サーバーではアップデートが公開されていません。',
    unreachable: 'サーバーに接続できませんでした。',
    refused: 'サーバーのアップデートには Latchkey の発行元の署名がありません。何もインストールされていません。',
    'older-than-seen':
      'サーバーが提供しているのは、以前確認したものより古いバージョンです。何もインストールされていません。',
    'not-for-this-platform': '最新のバージョンは、このシステム向けにはまだ提供されていません。',
    'not-rolled-out': '新しいバージョンを順次配信しています。このデバイスにもまもなく提供されます。',
    stopped: '発行元が最新バージョンの配信を停止しています。',
    'no-keys':
      'この Latchkey はアップデートが正規のものか確認できないため、インストールしません。新しいバージョンをダウンロードし、この画面でファイルを検証してください。',
    'install-failed': 'アップデートはインストールされませんでした。引き続きバージョン {{version}} を使用します。',
    'system-package':
      'この Latchkey はシステムのパッケージとしてインストールされています。新しいバージョンはパッケージマネージャーでインストールしてください。',
    snap: 'この Latchkey は snap です。「snap refresh latchkey」でアップデートしてください。',
    flatpak: 'この Latchkey は Flatpak です。「flatpak update」でアップデートしてください。',
    portable: 'ポータブル版です。新しいバージョンをダウンロードして置き換えてください。',
    'not-packaged':
      'この Latchkey はブラウザーまたはソースから実行されています。新しいバージョンは、このバージョンの入手元から入手してください。',
  },
};
