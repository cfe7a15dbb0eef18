/** Texts of a new server's features; the licensing client needs only their names, which are kept separately. */
import type { LocalizedText } from './formats/localized-text.ts';

type SeededFeature = { readonly name: string; readonly title: LocalizedText; readonly does: LocalizedText };

/** The features of the interface, in the order in which they are shown. */
export const seededFeatures: readonly SeededFeature[] = [
  {
    name: 'real_time_visualization',
    title: { en: 'Real-time visualization', de: 'Echtzeitvisualisierung', ja: 'リアルタイム表示' },
    does: {
      en: 'Shows signals as they arrive.',
      de: 'Zeigt Signale an, sobald sie eintreffen.',
      ja: '受信した信号をその場で表示します。',
    },
  },
  {
    name: 'osc_lsl_streaming',
    title: { en: 'OSC/LSL streaming', de: 'OSC/LSL-Streaming', ja: 'OSC/LSL ストリーミング' },
    does: {
      en: 'Streams signals to other programs over OSC or LSL.',
      de: 'Überträgt Signale über OSC oder LSL an andere Programme.',
      ja: 'OSC または LSL を使用して、信号をほかのプログラムに送信します。',
    },
  },
  {
    name: 'session_recording',
    title: { en: 'Session recording', de: 'Sitzungsaufzeichnung', ja: 'セッションの記録' },
    does: {
      en: 'Records complete sessions to replay and compare later.',
      de: 'Zeichnet vollständige Sitzungen auf, um sie später wiederzugeben und zu vergleichen.',
      ja: 'セッション全体を記録し、後から再生や比較ができます。',
    },
  },
  {
    name: 'csv_export',
    title: { en: 'CSV export', de: 'CSV-Export', ja: 'CSV エクスポート' },
    does: {
      en: 'Exports devices and heartbeats to a CSV file that opens in any spreadsheet.',
      de: 'Exportiert Geräte und Heartbeats in eine CSV-Datei, die sich in jeder Tabellenkalkulation öffnen lässt.',
      ja: 'デバイスとハートビートを、表計算ソフトで開ける CSV ファイルに書き出します。',
    },
  },
  {
    name: 'api_access',
    title: { en: 'API access', de: 'API-Zugriff', ja: 'API アクセス' },
    does: {
      en: 'Lets your own programs use your account with an API key.',
      de: 'Lässt Ihre eigenen Programme mit einem API-Schlüssel auf Ihr Konto zugreifen.',
      ja: 'API キーを使用して、独自のプログラムからアカウントを利用できます。',
    },
  },
  {
    name: 'signal_filtering',
    title: { en: 'Signal filtering', de: 'Signalfilterung', ja: '信号フィルタリング' },
    does: {
      en: 'Removes mains hum, drift and artifacts from the signal.',
      de: 'Entfernt Netzbrummen, Drift und Artefakte aus dem Signal.',
      ja: '信号から電源ノイズ、ドリフト、アーチファクトを除去します。',
    },
  },
  {
    name: 'custom_preprocessing',
    title: { en: 'Custom preprocessing', de: 'Eigene Vorverarbeitung', ja: 'カスタム前処理' },
    does: {
      en: 'Applies your own processing steps to the signal before analysis.',
      de: 'Wendet vor der Analyse Ihre eigenen Verarbeitungsschritte auf das Signal an.',
      ja: '解析前の信号に独自の処理を適用します。',
    },
  },
  {
    name: 'mental_state_detection',
    title: { en: 'Mental state detection', de: 'Erkennung mentaler Zustände', ja: '精神状態の検出' },
    does: {
      en: 'Estimates focus and calm from the signal in real time.',
      de: 'Schätzt Konzentration und Ruhe in Echtzeit aus dem Signal.',
      ja: '集中とリラックスの度合いを信号からリアルタイムで推定します。',
    },
  },
];
