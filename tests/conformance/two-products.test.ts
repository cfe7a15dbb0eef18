/**
 * Two products side by side: a server with default settings, whose bodies contain nothing but the interface, and the
 * server of another app with custom features. Both go through the same journey with commands, the API, leases and the
 * client.
 */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EndpointName } from '../../shared/api/endpoints.ts';
import { sharedHttpServer } from '../harness/http-server.ts';
import {
  hiddenFeatures,
  onInOwnPlan,
  ownFeatures,
  ownNames,
  ownPlan,
  setUpOwnProduct,
} from '../harness/own-product.ts';
import { standardFeatures } from '../harness/response-shapes.ts';
import type { TestResponse } from '../harness/test-client.ts';
import type { TestServer } from '../harness/test-server.ts';
import { goodPassword, issueLicense, subscriber } from '../harness/users.ts';
import { callEveryEndpoint } from './every-endpoint.ts';
import { startMachine } from './start-machine.ts';

const plain = sharedHttpServer();
const own = sharedHttpServer();
let plainResponses: Partial<Record<EndpointName, TestResponse>>;
let ownResponses: Partial<Record<EndpointName, TestResponse>>;

beforeAll(async () => {
  await setUpOwnProduct((words) => own.admin(...words));
  [plainResponses, ownResponses] = [await callEveryEndpoint(plain), await callEveryEndpoint(own)];
});

describe('the server without custom features', () => {
  it('has nothing of another product in any body', () => {
    const bodies = Object.values(plainResponses).map(({ text }) => text);
    expect(bodies.length).toBeGreaterThan(20);
    for (const name of [...ownNames, ownPlan]) expect(bodies.filter((body) => body.includes(name))).toEqual([]);
  });

  it('has the same fields in the same order as the other product without its custom ones', () => {
    for (const [name, response] of Object.entries(plainResponses)) {
      const other = ownResponses[name as EndpointName];
      if (name === 'features') continue;
      expect(JSON.stringify(fieldsOf(response.body)), name).toBe(JSON.stringify(fieldsOf(other?.body)));
    }
    expect(Object.keys(plainResponses.subscriptionStatus?.body.features as object)).toEqual(
      Object.keys(standardFeatures),
    );
  });
});

/** Returns every field, except for those of custom features. */
function fieldsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(fieldsOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value)
    .filter(([name]) => !ownNames.includes(name))
    .map(([name, field]) => [name, fieldsOf(field)]);
}

type Product = {
  readonly server: TestServer & { readonly url: string };
  readonly plan: string;
  /** Names of the enabled features. */
  readonly on: readonly string[];
  readonly all: readonly string[];
};

const interfaceNames = Object.keys(standardFeatures).filter((name) => name !== 'max_devices');
const products: readonly (Product & { readonly what: string })[] = [
  {
    what: 'the interface',
    server: plain,
    plan: 'standard',
    on: interfaceNames.filter((name) => standardFeatures[name as keyof typeof standardFeatures] === true),
    all: interfaceNames,
  },
  { what: 'an app of one’s own', server: own, plan: ownPlan, on: onInOwnPlan, all: [...interfaceNames, ...ownNames] },
];

describe.each(products)('the journey of $what', ({ server, plan, on, all }) => {
  const switches = () => Object.fromEntries(all.map((name) => [name, on.includes(name)]));

  it('by commands: the plan has its features, and the declaration lists them all', async () => {
    const plans = (await server.admin('plan', 'list')) as unknown as { name: string; features: object }[];
    expect(plans.find(({ name }) => name === plan)?.features).toMatchObject(switches());
    const { declaration } = await server.admin('feature', 'types');
    expect([...String(declaration).matchAll(/(\w+): true;/g)].map(([, name]) => name)).toEqual(all);
  });

  it('in the client and a lease: sign in, activate, use features', async () => {
    const user = await subscriber(server, plan);
    const { key } = await issueLicense(server, '--email', user.email, '--with-subscription');
    const { client } = await startMachine({ serverAddress: server.url, name: `machine of ${plan}` });
    onTestFinished(() => client.stop());
    expect(client.feature('csv_export')).toMatchObject({ failure: { reason: 'signed-out' } });
    expect(await client.signIn({ email: user.email, password: goodPassword })).toMatchObject({ ok: true });
    expect(await client.activateLicense({ licenseKey: key })).toMatchObject({ ok: true });
    for (const name of all) {
      const gate = client.feature(name);
      if (on.includes(name)) expect(gate, name).toMatchObject({ ok: true });
      else expect(gate, name).toMatchObject({ failure: { code: 'FEATURE_OFF', reason: 'plan' } });
    }
    expect(client.feature('pdf_report')).toMatchObject({ failure: { code: 'FEATURE_OFF', reason: 'unknown-feature' } });
    if (!all.includes('pdf_reports')) {
      expect(client.feature('pdf_reports')).toMatchObject({ failure: { reason: 'unknown-feature' } });
    }

    const { body } = await server.call('listActivations', { token: user.token });
    const [{ device_id }] = body.activations as [{ device_id: string }];
    const issued = await server.call('lease', { token: user.token, body: { device_id } });
    const claims = JSON.parse(Buffer.from(String(issued.body.lease).split('.')[1] ?? '', 'base64url').toString());
    const { max_devices, ...features } = claims.features;
    expect(features).toStrictEqual(switches());
    expect(claims.plan).toBe(plan);
    expect(max_devices).toBe(plan === ownPlan ? 2 : 3);
  });
});

describe('the feature titles', () => {
  it.each(['en', 'de', 'ja'] as const)('are those of the app in %s, and two are marked as hidden', async (language) => {
    const response = await own.request('GET', '/api/v1/features', { headers: { 'accept-language': language } });
    const features = response.body.features as { name: string; title: string; hidden: boolean; built_in: boolean }[];
    expect(features.filter(({ built_in }) => !built_in).map(({ title }) => title)).toEqual(
      Object.values(ownFeatures).map((titles) => titles[language]),
    );
    expect(features.filter(({ hidden }) => hidden).map(({ name }) => name)).toEqual([...hiddenFeatures]);
  });
});
