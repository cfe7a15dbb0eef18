/** The endpoints that are measured, and the accounts that keep them busy: one for each connection. */
import { apiRoot, type EndpointName, endpoints } from '../../shared/api/endpoints.ts';
import { Admin } from '../harness/admin.ts';
import { httpTransport, stringIn, TestClient } from '../harness/test-client.ts';
import type { Json } from '../harness/test-server.ts';
import { activate, goodPassword, newEmail, signUp } from '../harness/users.ts';
import type { LoadOrder } from './load.ts';

type Connections = LoadOrder['connections'];

type Member = {
  readonly email: string;
  readonly token: string;
  readonly licenseKey: string;
  readonly deviceId: string;
  readonly apiKey: string;
};

export type EndpointLoad = {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly carry?: string;
  /** What each connection sends; made again before each round. */
  connections(): Promise<Connections>;
};

const json = { 'content-type': 'application/json' };

/** Makes so many accounts on the server at `url`, each with a license that is active on its device and an API key. */
export async function prepareEndpointLoads(url: string, dataFolder: string, count: number): Promise<EndpointLoad[]> {
  const members: Member[] = [];
  for (let made = 0; made < count; made++) members.push(await makeMember(url, dataFolder));
  const asMember = (body?: (member: Member) => unknown) => async () =>
    members.map((member) => ({
      headers: { authorization: `Bearer ${member.token}`, ...(body ? json : {}) },
      ...(body ? { body: JSON.stringify(body(member)) } : {}),
    }));
  return [
    {
      name: 'key validation',
      endpoint: 'validateApiKey',
      connections: async () =>
        members.map(({ apiKey }) => ({ headers: json, body: JSON.stringify({ api_key: apiKey }) })),
    },
    {
      name: 'license validation',
      endpoint: 'validateLicense',
      connections: asMember(({ licenseKey, deviceId }) => ({ license_key: licenseKey, device_id: deviceId })),
    },
    { name: 'subscription status', endpoint: 'subscriptionStatus', connections: asMember() },
    { name: 'heartbeat', endpoint: 'heartbeat', connections: asMember(({ deviceId }) => ({ device_id: deviceId })) },
    {
      name: 'refresh',
      endpoint: 'refresh',
      carry: 'refresh_token',
      // The responses under way when a round ends are lost, so each round starts with sessions of its own.
      connections: async () => {
        const sessions: Connections[number][] = [];
        for (const { email } of members) {
          sessions.push({ headers: json, body: JSON.stringify({ refresh_token: await signIn(url, email) }) });
        }
        return sessions;
      },
    },
  ];
}

export function orderFor(url: string, load: EndpointLoad, connections: Connections, seconds: number): LoadOrder {
  const { method, path } = endpoints[load.endpoint];
  if (method === 'DELETE') throw new Error(`${load.name} cannot be asked again and again`);
  return { url: url + apiRoot + path, method, seconds, connections, carry: load.carry };
}

async function makeMember(url: string, dataFolder: string): Promise<Member> {
  const email = newEmail();
  const { call } = new TestClient(httpTransport(url));
  const { token } = await signUp({ call }, email);
  const issued = await new Admin(dataFolder).json<Json>(['license', 'issue', '--email', email]);
  const licenseKey = stringIn(issued, 'license_key');
  const { deviceId } = await activate({ call }, { token }, licenseKey);
  const apiKey = stringIn((await call('apiKey', { token })).body, 'api_key');
  return { email, token, licenseKey, deviceId, apiKey };
}

async function signIn(url: string, email: string): Promise<string> {
  const { call } = new TestClient(httpTransport(url));
  const { body } = await call('login', { body: { email, password: goodPassword } });
  return stringIn(body, 'refresh_token');
}
