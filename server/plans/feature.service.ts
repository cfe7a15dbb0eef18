/** The features that plans switch on and off, as data: admins add to the built-in ones and change their texts. */
import type { z } from 'zod';
import type { FeatureRecord, setFeatureRequest } from '../../shared/api/admin/features.ts';
import { type FeatureText, featureName } from '../../shared/api/features.ts';
import { maxFeatureText } from '../../shared/formats/feature-fields.ts';
import { isLanguageTag, type LocalizedText, maxLanguages } from '../../shared/formats/localized-text.ts';
import { rankLanguages } from '../accept-language.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Executor } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './feature.repository.ts';
import { type PlanService, planChanged } from './plan.service.ts';

type FeatureChange = Readonly<z.output<typeof setFeatureRequest>>;

/** Maximum number of features; more would make every response with features too long to be useful. */
const maxFeatures = 200;

type FeatureServiceDeps = AuditedDeps & {
  readonly outbox: EventOutbox;
  readonly plans: PlanService;
};

export class FeatureService {
  readonly #deps: FeatureServiceDeps;

  constructor(deps: FeatureServiceDeps) {
    this.#deps = deps;
  }

  /** Returns all features, in display order: built-in ones first, others in the order in which they were added. */
  async list(): Promise<FeatureRecord[]> {
    return (await repository.listFeatures(this.#deps.database.read)).map(toRecord);
  }

  /** Like `list`, with each text in one language: the first that `acceptLanguage` asks for, or English. */
  async listTexts(acceptLanguage: string | undefined): Promise<FeatureText[]> {
    const features = await this.list();
    const available = new Set(features.flatMap(({ title, does }) => [...Object.keys(title), ...Object.keys(does)]));
    // Ranked only once, since a long header takes time to read.
    const ranked = rankLanguages([...available], acceptLanguage);
    return features.map(({ title, does, ...feature }) => ({
      ...feature,
      title: textIn(title, ranked),
      does: textIn(does, ranked),
    }));
  }

  /**
   * Changes a feature, or adds it: a new one is in no plan, and its name serves as its title until one is given.
   * Throws `ApiError` VALIDATION_ERROR.
   */
  async set(name: string, change: FeatureChange, by: AuditContext): Promise<FeatureRecord> {
    const { database, clock, auditLog } = this.#deps;
    validate(name, change);
    return database.write(async (transaction) => {
      await lockByName(transaction, 'plans');
      const all = await repository.listFeatures(transaction);
      const existing = all.find((feature) => feature.name === name);
      if (!existing && all.length >= maxFeatures) {
        throw new ApiError(
          'VALIDATION_ERROR',
          `There are ${maxFeatures} features already, which is as many as there can be.`,
        );
      }
      const nowMs = clock.now();
      const position = (all.at(-1)?.position ?? -1) + 1;
      const row = changedRow(existing ?? newRow(name, position, nowMs), change, nowMs);
      await repository.saveFeature(transaction, row);
      await auditLog.record(transaction, {
        ...by,
        action: 'feature.set',
        target: { kind: 'feature', id: name, label: name },
        details: {
          added: existing === undefined,
          ...(change.title && {
            title: JSON.parse(row.title).en,
            title_languages: Object.keys(change.title).join(' '),
          }),
          ...(change.does && { does_languages: Object.keys(change.does).join(' ') }),
          ...(change.hidden !== undefined && { hidden: change.hidden }),
        },
      });
      return toRecord(row);
    });
  }

  /**
   * Removes a feature that was added; with `fromPlans`, also from the plans that have it. Throws `ApiError` NOT_FOUND,
   * or CONFLICT for a built-in feature, which can only be hidden, and for one that a plan has.
   */
  async remove(name: string, { fromPlans }: { readonly fromPlans: boolean }, by: AuditContext): Promise<FeatureRecord> {
    const { database, auditLog, outbox, plans: allPlans } = this.#deps;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'plans');
      const { row, plans } = await findRemovable(transaction, name, fromPlans);
      await repository.deleteFeature(transaction, name);
      await auditLog.record(transaction, {
        ...by,
        action: 'feature.remove',
        target: { kind: 'feature', id: name, label: name },
        details: { ...(plans.length > 0 && { plans: plans.join(' ') }) },
      });
      for (const name of plans)
        await outbox.add(transaction, planChanged(await allPlans.require(name, transaction), false));
      return toRecord(row);
    });
  }

  /** Throws like `remove`, but changes nothing. */
  async requireRemovable(name: string, { fromPlans }: { readonly fromPlans: boolean }): Promise<void> {
    await findRemovable(this.#deps.database.read, name, fromPlans);
  }
}

/** Returns the feature and the plans that have it. */
async function findRemovable(executor: Executor, name: string, fromPlans: boolean) {
  const row = await repository.findFeature(executor, name);
  if (!row) throw new ApiError('NOT_FOUND', `There is no feature named "${name}".`);
  if (row.built_in === 1) {
    throw new ApiError('CONFLICT', `The interface has the feature "${name}": it can be hidden, but not removed.`);
  }
  const plans = await repository.listPlansWith(executor, name);
  if (plans.length > 0 && !fromPlans) {
    throw new ApiError(
      'CONFLICT',
      `These plans have the feature "${name}": ${plans.join(', ')}. Take it from them first, or remove it from them as well.`,
    );
  }
  return { row, plans };
}

/** Returns the text in the first of these languages that it exists in, otherwise in English. */
function textIn(texts: LocalizedText, ranked: readonly string[]): string {
  return ranked.map((language) => texts[language]).find(Boolean) ?? texts.en;
}

function validate(name: string, change: FeatureChange): void {
  const parsed = featureName.safeParse(name);
  if (!parsed.success) {
    throw new ApiError('VALIDATION_ERROR', `The name of a feature ${parsed.error.issues[0]?.message ?? ''}.`);
  }
  for (const [field, texts] of Object.entries({ title: change.title ?? {}, does: change.does ?? {} })) {
    for (const [language, text] of Object.entries(texts)) {
      if (!isLanguageTag(language)) {
        throw new ApiError('VALIDATION_ERROR', `"${language}" is no language: write it as in "de" or "pt-BR".`);
      }
      if (text.trim() === '' && language === 'en') {
        throw new ApiError('VALIDATION_ERROR', `The English ${field} of a feature must not be empty.`);
      }
      if ([...text].length > maxFeatureText[field as 'title' | 'does']) {
        const max = maxFeatureText[field as 'title' | 'does'];
        throw new ApiError('VALIDATION_ERROR', `The ${field} of a feature must have at most ${max} characters.`);
      }
    }
  }
}

function newRow(name: string, position: number, nowMs: number): repository.FeatureRow {
  return {
    name,
    position,
    title: JSON.stringify({ en: name }),
    does: JSON.stringify({ en: '' }),
    hidden: 0,
    built_in: 0,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

function changedRow(
  row: repository.FeatureRow,
  { title = {}, does = {}, hidden }: FeatureChange,
  nowMs: number,
): repository.FeatureRow {
  return {
    ...row,
    title: JSON.stringify(merge(JSON.parse(row.title), title)),
    does: JSON.stringify(merge(JSON.parse(row.does), does)),
    hidden: (hidden ?? row.hidden === 1) ? 1 : 0,
    updated_at_ms: nowMs,
  };
}

function merge(texts: LocalizedText, given: Readonly<Record<string, string>>): LocalizedText {
  const trimmed = Object.entries(given).map(([language, text]) => [language, text.trim()] as const);
  const merged = Object.entries({ ...texts, ...Object.fromEntries(trimmed) });
  const stays = merged.filter(([language, text]) => language === 'en' || text !== '');
  if (stays.length > maxLanguages) {
    throw new ApiError('VALIDATION_ERROR', `A feature must have texts in at most ${maxLanguages} languages.`);
  }
  return Object.fromEntries(stays) as LocalizedText;
}

function toRecord(row: repository.FeatureRow): FeatureRecord {
  return {
    name: row.name,
    title: JSON.parse(row.title),
    does: JSON.parse(row.does),
    hidden: row.hidden === 1,
    built_in: row.built_in === 1,
  };
}
