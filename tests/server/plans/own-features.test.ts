/** Custom features, from the command that adds them to every response that lists features, and what is refused. */
import Negotiator from 'negotiator';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startHttpServer } from '../../harness/http-server.ts';
import { standardFeatures } from '../../harness/response-shapes.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { activate, issueLicense, subscriber } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

type Feature = { readonly name: string; readonly title: unknown; readonly hidden: boolean };

async function start() {
  const server = await startTestApp();
  const list = async () => (await server.admin('feature', 'list')) as unknown as Feature[];
  const texts = async (language?: string) => {
    const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language };
    return (await server.request('GET', '/api/v1/features', { headers })).body.features as Feature[];
  };
  return { server, list, texts };
}

describe('a custom feature', () => {
  it('is off in every plan until it is switched on, which takes effect immediately', async () => {
    const { server } = await start();
    const user = await subscriber(server);
    const features = async () => (await server.call('subscriptionStatus', { token: user.token })).body.features;
    expect(await features()).toStrictEqual(standardFeatures);
    await server.admin('feature', 'set', 'pdf_reports');
    expect(await features()).toStrictEqual({ ...standardFeatures, pdf_reports: false });
    await server.admin('plan', 'set', 'standard', '--feature', 'pdf_reports=true');
    expect(await features()).toMatchObject({ pdf_reports: true });
    await server.admin('feature', 'remove', 'pdf_reports', '--from-plans');
    expect(await features()).toStrictEqual(standardFeatures);
  });
});

describe('the features of the server', () => {
  it('are public, in the language that the client asks for or in English', async () => {
    const { server, texts } = await start();
    await server.admin('feature', 'set', 'pdf_reports', '--title', 'PDF reports', '--does', 'Prints sessions.');
    await server.admin('feature', 'set', 'pdf_reports', '--title', 'PDF-Berichte', '--lang', 'de');
    await server.admin('feature', 'set', 'pdf_reports', '--title', 'Relatórios', '--lang', 'pt-BR');
    expect((await texts()).map(({ name }) => name)).toEqual([
      ...Object.keys(standardFeatures).slice(0, 8),
      'pdf_reports',
    ]);
    const own = { name: 'pdf_reports', does: 'Prints sessions.', hidden: false, built_in: false };
    expect((await texts()).at(-1)).toStrictEqual({ ...own, title: 'PDF reports' });
    expect((await texts('de-AT, en;q=0.5')).at(-1)).toStrictEqual({ ...own, title: 'PDF-Berichte' });
    expect((await texts('pt-BR')).at(-1)).toMatchObject({ title: 'Relatórios' });
    expect((await texts('fr, ja;q=0.5')).at(0)).toMatchObject({ title: 'リアルタイム表示' });
  });

  it('have their texts chosen by reading the header once, however many texts there are', async () => {
    const { texts } = await start();
    const readings = vi.spyOn(Negotiator.prototype, 'languages');
    onTestFinished(() => void readings.mockRestore());
    expect(await texts('de')).toHaveLength(8);
    expect(readings).toHaveBeenCalledTimes(1);
  });

  it('can be hidden, but stay in responses', async () => {
    const { server, list, texts } = await start();
    await server.admin('feature', 'set', 'mental_state_detection', '--hidden', 'true');
    expect((await texts()).filter(({ hidden }) => hidden)).toMatchObject([{ name: 'mental_state_detection' }]);
    expect((await list()).filter(({ hidden }) => hidden)).toHaveLength(1);
    const user = await subscriber(server, 'advanced');
    const { body } = await server.call('subscriptionStatus', { token: user.token });
    expect(body.features).toMatchObject({ mental_state_detection: true });
    await server.admin('feature', 'set', 'mental_state_detection', '--hidden', 'false');
    expect((await texts()).some(({ hidden }) => hidden)).toBe(false);
  });

  it('lose a text that is set to an empty one, except in English', async () => {
    const { server } = await start();
    await server.admin('feature', 'set', 'pdf_reports', '--title', 'PDF-Berichte', '--lang', 'de');
    const removed = await server.admin('feature', 'set', 'pdf_reports', '--title', '', '--lang', 'de');
    expect(removed).toMatchObject({ title: { en: 'pdf_reports' } });
    await expect(server.admin('feature', 'set', 'pdf_reports', '--title', ' ')).rejects.toThrow('must not be empty');
  });
});

describe('invalid changes', () => {
  it.each([
    ['Pdf', 'The name of a feature must be'],
    ['1st', 'The name of a feature must be'],
    ['pdf-reports', 'The name of a feature must be'],
    ['a'.repeat(51), 'The name of a feature must be'],
    ['max_devices', 'and not max_devices'],
  ])('are refused for the name %s, saying which names are allowed', async (name, message) => {
    const { server, list } = await start();
    await expect(server.admin('feature', 'set', name)).rejects.toThrow(message);
    expect(await list()).toHaveLength(8);
  });

  it('do not remove a built-in feature, and say what can be done instead', async () => {
    const { server, list } = await start();
    const removing = server.admin('feature', 'remove', 'csv_export', '--from-plans');
    await expect(removing).rejects.toThrow('it can be hidden, but not removed');
    expect(await list()).toHaveLength(8);
  });

  it('do not remove a feature that a plan has, and name the plan', async () => {
    const { server } = await start();
    await server.admin('feature', 'set', 'pdf_reports');
    await server.admin('plan', 'set', 'studio', '--feature', 'pdf_reports=true');
    await expect(server.admin('feature', 'remove', 'pdf_reports')).rejects.toThrow('studio');
    expect(await server.admin('feature', 'remove', 'pdf_reports', '--from-plans')).toMatchObject({
      name: 'pdf_reports',
    });
    await expect(server.admin('feature', 'remove', 'pdf_reports')).rejects.toThrow('no feature named');
  });

  it('are refused as a whole for a plan with an unknown feature', async () => {
    const { server } = await start();
    const setting = server.admin('plan', 'set', 'studio', '--max-devices', '9', '--feature', 'telepathy=true');
    await expect(setting).rejects.toThrow('There is no feature named "telepathy"');
    const plans = (await server.admin('plan', 'list')) as unknown as { name: string }[];
    expect(plans.map(({ name }) => name)).not.toContain('studio');
  });

  it('are refused for an invalid language', async () => {
    const { server } = await start();
    const setting = server.admin('feature', 'set', 'pdf_reports', '--title', 'x', '--lang', 'klingon language');
    await expect(setting).rejects.toThrow('is no language');
  });
});

it('custom features are printed as a declaration with which the client accepts no other name', async () => {
  const { server } = await start();
  await server.admin('feature', 'set', 'pdf_reports');
  const { declaration } = (await server.admin('feature', 'types')) as unknown as { declaration: string };
  expect(declaration).toMatch(/^export \{\};\n\ndeclare module 'latchkey-client' \{\n {2}interface OwnFeatures \{\n/);
  expect(declaration).toContain('    csv_export: true;\n');
  expect(declaration).toContain('    pdf_reports: true;\n');
});

describeEachDatabase((database) => {
  it('a custom feature appears beside the built-in ones in the status, a valid license and the lease', async () => {
    const server = await startHttpServer(await database.createAdmin());
    await server.admin('feature', 'set', 'pdf_reports', '--title', 'PDF reports');
    await server.admin('plan', 'set', 'standard', '--feature', 'pdf_reports=true');
    const user = await subscriber(server);
    const { key } = await issueLicense(server, '--email', user.email, '--with-subscription');
    const { deviceId } = await activate(server, user, key);
    const status = await server.call('subscriptionStatus', { token: user.token });
    expect(status.body.features).toStrictEqual({ ...standardFeatures, pdf_reports: true });
    const body = { license_key: key, device_id: deviceId };
    const validated = await server.call('validateLicense', { token: user.token, body });
    expect(validated.body.features).toStrictEqual({
      real_time_visualization: true,
      osc_lsl_streaming: true,
      csv_export: true,
      api_access: true,
      max_devices: 3,
      pdf_reports: true,
    });
    const lease = await server.call('lease', { token: user.token, body: { device_id: deviceId } });
    const [, payload = ''] = String(lease.body.lease).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString()).features).toStrictEqual({
      ...standardFeatures,
      pdf_reports: true,
    });
  });
});
