/** The names and texts of a server's features, including custom ones beyond those of the interface. */
import { describe, expect, it } from 'vitest';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { FeatureTexts } from '../../../electron/licensing/feature-texts.ts';
import type { FeatureText } from '../../../shared/api/features.ts';
import { builtInFeatures, seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { errorReply } from './scripted-server.ts';
import { startActivated, startTestClient, type TestClient } from './start-client.ts';

const csv: FeatureText = { name: 'csv_export', title: 'Tables', does: 'Makes tables.', hidden: false, built_in: true };
const pdf: FeatureText = { name: 'pdf_reports', title: 'PDF reports', does: 'Prints.', hidden: false, built_in: false };
const withPdf = { ...seededPlans.standard, pdf_reports: true };

function tell({ platform }: TestClient, features: readonly FeatureText[]): void {
  platform.http.on('GET /features', { json: { features } });
}

describe('the features that a server describes', () => {
  it('are shown in its order and words, and other granted ones by their names', async () => {
    const test = await startActivated();
    tell(test, [pdf, csv]);
    test.server.features = withPdf;
    await test.sync();
    const { features, featureTexts } = test.client.getState();
    expect(featureTexts).toEqual([pdf, csv]);
    expect(features.map(({ feature }) => feature).slice(0, 2)).toEqual(['pdf_reports', 'csv_export']);
    expect(new Set(features.map(({ feature }) => feature))).toEqual(new Set(['pdf_reports', ...builtInFeatures]));
    expect(test.client.feature('pdf_reports')).toEqual({ ok: true, value: true });
  });

  it('are requested in the language of the settings, and again when it changes', async () => {
    const test = await startActivated();
    tell(test, [csv]);
    const asked = () => test.platform.http.to('/features').map(({ headers }) => headers['accept-language']);
    await test.sync();
    const before = asked().length;
    await test.client.changeSettings({ language: 'de' });
    expect(test.client.getState().featureTextsLanguage).not.toBe('de');
    await test.sync();
    expect(asked().slice(before)).toEqual(['de']);
    expect(test.client.getState().featureTextsLanguage).toBe('de');
  });

  it('stay known while the server cannot be reached, also after a restart', async () => {
    const test = await startActivated();
    tell(test, [pdf, csv]);
    test.server.features = withPdf;
    await test.sync();
    const { client } = await test.restart(({ http }) => http.cut({ fails: 'unreachable' }));
    expect(client.getState().featureTexts).toEqual([pdf, csv]);
    expect(client.feature('pdf_reports').ok).toBe(true);
  });

  it('are not requested in every sync, but again for a granted feature without a description', async () => {
    const test = await startActivated();
    tell(test, [csv]);
    await test.sync();
    const before = test.platform.http.to('/features').length;
    await test.platform.clock.advance(15 * 60_000);
    expect(test.platform.http.to('/features').length).toBe(before);
    tell(test, [csv, pdf]);
    test.server.features = withPdf;
    await test.platform.clock.advance(15 * 60_000);
    expect(test.platform.http.to('/features').length).toBe(before + 1);
    expect(test.client.getState().featureTexts).toEqual([csv, pdf]);
  });

  it('are those of the interface if the server describes none', async () => {
    const test = await startActivated();
    test.platform.http.on('GET /features', errorReply(404, 'NOT_FOUND'));
    await test.sync();
    const { features, featureTexts } = test.client.getState();
    expect(featureTexts).toBeNull();
    expect(features.map(({ feature }) => feature)).toEqual(builtInFeatures);
  });

  it('do not block anything if the request fails', async () => {
    const test = await startActivated();
    test.platform.http.on('GET /features', { status: 500, json: {} });
    expect(await test.sync()).toEqual({ ok: true, value: null });
    expect(test.client.feature('csv_export').ok).toBe(true);
  });
});

describe('the server', () => {
  type Asked = { readonly language: string };

  /** Creates the texts on a platform of their own; `replies` are those of the server, `success` once there are no more. */
  async function start(replies: readonly ApiResult<unknown>[] = []) {
    const { plain, log } = createFakePlatform();
    const success = { kind: 'success', response: { features: [csv] }, serverTimeMs: null } as const;
    const remaining = [...replies];
    const asked: string[] = [];
    const preferences = { language: 'en', current: { serverAddress: 'https://a.example' as string | null } };
    let notified = 0;
    const api = {
      call: async (_: string, { language }: Asked) => {
        asked.push(language);
        return remaining.shift() ?? success;
      },
    };
    const changes = { notify: () => (notified += 1) };
    const deps = { api, preferences, plain, log, changes } as unknown as ConstructorParameters<typeof FeatureTexts>[0];
    const texts = new FeatureTexts(deps);
    await texts.load();
    return { texts, preferences, asked, plain, readNotified: () => notified };
  }

  it('is not asked before there is one', async () => {
    const { texts, preferences, asked } = await start();
    preferences.current.serverAddress = null;
    await texts.loadIfDue([], true);
    expect(asked).toEqual([]);
  });

  it('is asked once, again on request, and again if another one is chosen', async () => {
    const { texts, preferences, asked, plain, readNotified } = await start();
    await texts.loadIfDue(['csv_export'], false);
    await texts.loadIfDue(['csv_export'], false);
    await texts.loadIfDue([], false);
    expect(asked).toHaveLength(1);
    expect(readNotified()).toBe(1);
    expect(plain.writes.map(({ name }) => name)).toEqual(['features']);
    await texts.loadIfDue(['csv_export'], true);
    expect(asked).toHaveLength(2);
    preferences.current.serverAddress = 'https://b.example';
    expect(texts.current).toBeNull();
    await texts.loadIfDue(['csv_export'], false);
    expect(asked).toHaveLength(3);
    expect(texts.current).toEqual([csv]);
  });

  it('is asked again after a failure, but not if it does not support this', async () => {
    const failure = { code: 'ANY', message: '', at: '2026-03-03T09:00:00.000Z' };
    const { texts, asked } = await start([
      { kind: 'inconclusive', failure },
      { kind: 'unsupported', failure },
    ]);
    for (let sync = 0; sync < 4; sync++) await texts.loadIfDue([], false);
    expect(asked).toHaveLength(2);
    expect(texts.current).toBeNull();
  });
});

describe('a feature', () => {
  it('that neither the server nor the app knows is off, and the failure says so', async () => {
    const { client } = await startTestClient();
    expect(client.feature('telepathy')).toMatchObject({
      ok: false,
      failure: { code: 'FEATURE_OFF', feature: 'telepathy', reason: 'unknown-feature' },
    });
    expect(client.feature('csv_export')).toMatchObject({ ok: false, failure: { reason: 'signed-out' } });
  });

  it('that is custom and missing from the plan names no plan that has it', async () => {
    const test = await startActivated();
    tell(test, [csv, pdf]);
    test.server.features = { ...seededPlans.standard, pdf_reports: false };
    await test.sync();
    expect(test.client.getState().features.find(({ feature }) => feature === 'pdf_reports')).toEqual({
      feature: 'pdf_reports',
      on: false,
      reason: { kind: 'plan', plan: 'standard', availableOn: null },
    });
    expect(test.client.feature('pdf_reports')).toMatchObject({ ok: false, failure: { reason: 'plan' } });
  });
});
