/** The product of an app maker: five custom features, two hidden built-in features, and a plan with some of them. */
import { seededFeatures } from '../../shared/seeded-feature-texts.ts';

export const ownFeatures = {
  pdf_reports: { en: 'PDF reports', de: 'PDF-Berichte', ja: 'PDF レポート' },
  batch_jobs: { en: 'Batch jobs', de: 'Stapelaufträge', ja: 'バッチ処理' },
  team_library: { en: 'Team library', de: 'Teambibliothek', ja: 'チームライブラリ' },
  color_proofs: { en: 'Color proofs', de: 'Farbproofs', ja: 'カラープルーフ' },
  cloud_backup: { en: 'Cloud backup', de: 'Cloud-Backup', ja: 'クラウドバックアップ' },
} as const;

export const ownNames = Object.keys(ownFeatures);
export const hiddenFeatures = ['osc_lsl_streaming', 'mental_state_detection'] as const;
export const ownPlan = 'studio';
/** Features that are on in the plan; the others are off. */
export const onInOwnPlan = ['csv_export', 'osc_lsl_streaming', 'pdf_reports', 'batch_jobs', 'team_library'] as const;

type RunAdmin = (words: readonly string[]) => Promise<unknown>;

/** Sets up a new server for the product, with admin commands. */
export async function setUpOwnProduct(run: RunAdmin): Promise<void> {
  for (const [name, titles] of Object.entries(ownFeatures)) {
    for (const [language, title] of Object.entries(titles)) {
      await run(['feature', 'set', name, '--title', title, '--lang', language]);
    }
  }
  for (const name of hiddenFeatures) await run(['feature', 'set', name, '--hidden', 'true']);
  const switches = onInOwnPlan.flatMap((name) => ['--feature', `${name}=true`]);
  await run(['plan', 'set', ownPlan, '--max-devices', '2', ...switches]);
}

/** Titles of the eight built-in features, as the window shows them in English. */
export const interfaceTitles: ReadonlyMap<string, string> = new Map(
  seededFeatures.map(({ name, title }) => [name, title.en]),
);
