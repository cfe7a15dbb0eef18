/** Japanese messages shared by the window and the admin page. */
import type { SharedMessages } from './shared-en.ts';

export const sharedJa: SharedMessages = {
  name: 'Latchkey',
  common: {
    cancel: 'キャンセル',
    close: '閉じる',
    retry: '再試行',
    retryIn: '{{seconds}} 秒後にもう一度お試しください。',
    reload: '再読み込み',
    loading: '読み込み中…',
    copyAll: 'すべてコピー',
    copied: 'コピーしました。',
    details: '詳細',
    code: 'コード',
    requestId: 'リクエスト ID',
    time: '時刻',
    message: 'メッセージ',
    justNow: 'たった今',
    fileProgress: '{{done}} / {{total}} · {{speed}}/秒',
    fileStalled: '{{done}} / {{total}} · しばらく進んでいません',
  },

  credentials: {
    email: 'メールアドレス',
    password: 'パスワード',
    fullName: '氏名',
    passwordHint: '{{least}} 文字以上で入力してください。複数の単語を組み合わせると安全です。',
    signIn: 'サインイン',
    reveal: '入力内容を表示',
    hide: '入力内容を非表示',
    emailMissing: 'メールアドレスを入力してください。',
    emailShape: 'ada@lab.org のような形式のメールアドレスを入力してください。',
    passwordMissing: 'パスワードを入力してください。',
    passwordShort: '{{least}} 文字以上で入力してください。',
    passwordLong: '{{most}} 文字以内で入力してください。',
    passwordMalformed: 'このパスワードには使用できない文字が含まれています。',
    passwordIsEmail: 'メールアドレスと同じパスワードは使用できません。別のパスワードを入力してください。',
    passwordCommon: 'このパスワードは非常によく使われています。別のパスワードを入力してください。',
    forgot: 'パスワードをお忘れですか？',
    forgotTitle: '新しいパスワードの設定',
    forgotText: '新しいパスワードを設定するためのリンクをメールでお送りします。',
    forgotSend: 'リンクを送信',
    forgotSent: '{{email}} のアカウントが存在する場合は、メールが送信されます。リンクの有効期間は 30 分です。',
  },

  secret: {
    copy: 'コピー',
    copyFailed: 'ブラウザーがコピーを許可しませんでした。テキストを選択してコピーしてください。',
    saved: '保存しました',
    clipboardCleared: 'コピーしました。クリップボードは 1 分後に消去されます。',
  },

  licenseStatus: { active: '有効', inactive: '一時停止中', revoked: '取り消し済み', expired: '期限切れ' },

  subscriptionStatus: {
    active: '有効',
    trialing: '試用期間中',
    past_due: '支払い期限超過',
    canceled: '解約済み',
    expired: '期限切れ',
  },

  appearance: {
    appearance: '外観',
    theme: 'テーマ',
    themeSystem: 'システム設定に合わせる',
    themeLight: 'ライト',
    themeDark: 'ダーク',
    language: '言語',
    languageSystem: 'システム設定に合わせる',
    languageNotLoaded: '言語「{{language}}」を読み込めませんでした。',
  },

  plans: { free: 'フリー', standard: 'スタンダード', advanced: 'アドバンスト' },

  installerPlatform: {
    windows_x64: 'Windows (x64)',
    macos_arm64: 'macOS (Apple シリコン)',
    linux_amd64: 'Linux (x64)',
  },

  palette: {
    title: 'コマンドを検索',
    field: 'コマンドを検索',
    open: '検索',
    none: '一致するコマンドはありません。',
    goTo: '{{page}}に移動',
    theme: 'テーマ：{{theme}}',
    withCtrl: 'Ctrl+{{key}}',
    withCommand: '⌘{{key}}',
  },

  respondedInstead: {
    'web-page':
      'サーバーの代わりに Web ページが応答しました。ネットワークへのサインインが必要な場合があります。ブラウザーを開いてください。',
    gateway:
      'サーバーの手前にあるものがステータス {{status}} で応答しました。サーバー自体が停止している可能性があります。',
    redirect:
      'リクエストがリダイレクトされました。組織のサインインなど、サーバーの手前にあるものが再サインインを求めています。別のタブでこのページを開いてサインインし、ここでもう一度お試しください。',
  },

  networkProblem: {
    name: 'サーバーの名前が見つかりませんでした。',
    certificate: 'このコンピューターはサーバーの証明書を信頼していません。',
    proxy: 'ネットワークのプロキシがサーバーに接続できませんでした。',
    timeout: 'サーバーから時間内に応答がありませんでした。',
    refused: 'このアドレスでは接続を受け付けていません。サーバーが停止している可能性があります。',
    offline: 'このコンピューターはネットワークに接続されていません。',
  },

  failure: {
    INVALID_CREDENTIALS: {
      what: 'メールアドレスまたはパスワードが正しくありません。',
      help: '両方を確認して、もう一度お試しください。',
    },
    VALIDATION_ERROR: {
      what: '入力内容が正しくありません。',
      help: '変更して、もう一度お試しください。',
    },
    RATE_LIMITED: {
      what: '短時間に試行回数が多すぎます。',
      help: 'しばらく待ってから、もう一度お試しください。',
    },
    PAYLOAD_TOO_LARGE: { what: '入力内容が長すぎます。', help: '短くして、もう一度お試しください。' },
    SERVICE_UNAVAILABLE: {
      what: 'サーバーが混雑しているか、再起動中です。',
      help: 'しばらくしてから、もう一度お試しください。',
    },
    INTERNAL_ERROR: {
      what: 'サーバーで問題が発生しました。',
      help: 'もう一度お試しください。問題が続く場合は、詳細をサーバーの管理者に送ってください。',
    },
    CODE_NOT_LOADED: {
      what: 'Latchkey の一部を読み込めませんでした。',
      help: 'その間に更新された可能性があります。再読み込みしてください。解決しない場合は、Latchkey を再起動してください。',
    },
    CANCELED: { what: 'キャンセルしました。', help: 'いつでもやり直せます。' },
    FORBIDDEN: { what: 'この操作を行う権限がありません。', help: '権限のある担当者に依頼してください。' },
    CONFIRMATION_REQUIRED: { what: '本人確認が必要です。', help: 'パスワードまたはパスキーで確認してください。' },
    CONFLICT: {
      what: '現在この操作は実行できません。',
      help: 'その間に状態が変わった可能性があります。再読み込みして確認してください。',
    },
    other: {
      what: 'サーバーがリクエストを拒否しました。',
      help: '問題が続く場合は、詳細をサーバーの管理者に送ってください。',
    },
  },
};
