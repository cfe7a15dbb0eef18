/**
 * What a validation of the service cannot be faster than: bare Fastify routes with the same headers, a JSON schema each
 * way, and for each request one hash and one look-up in a Map, as if everything were known beforehand. Reads from the file
 * named on its command line, line by line, the API keys, or access tokens and license keys.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type FastifyReply, fastify } from 'fastify';
import { securityHeaders } from '../../../server/http/security-headers.ts';
import { listen } from './listen.ts';

const pepper = randomBytes(32);
const keys = new Map<string, object>();
const tokens = new Map<string, object>();

const sha256 = (text: string) => hash('sha256', text, 'hex');
const hmac = (text: string) => createHmac('sha256', pepper).update(text).digest('hex');

const boolean = { type: 'boolean' } as const;
const integer = { type: 'integer' } as const;
const string = { type: 'string' } as const;
const object = (properties: object, required = Object.keys(properties)) => ({ type: 'object', properties, required });

const validKey = {
  valid: true,
  plan: 'standard',
  source: 'new',
  features: { api_access: true, csv_export: true },
  subscription_active: true,
};

const validLicense = {
  valid: true,
  plan: 'standard',
  status: 'active',
  activations: 1,
  max_activations: 3,
  can_activate: true,
  already_activated_on_device: true,
  features: {
    real_time_visualization: true,
    osc_lsl_streaming: true,
    csv_export: true,
    api_access: true,
    max_devices: 3,
  },
};

const [kind = '', file = ''] = process.argv.slice(2);
for await (const line of createInterface({ input: createReadStream(file) })) {
  const [token = '', licenseKey = ''] = line.split('\t');
  if (kind === 'keys') keys.set(sha256(line), validKey);
  else {
    tokens.set(token, {});
    keys.set(hmac(licenseKey), validLicense);
  }
}

function setHeaders(reply: FastifyReply, policy: string): void {
  reply.headers(securityHeaders);
  reply.header('ratelimit-policy', `"${policy}";q=100000000;w=60`);
  reply.header('ratelimit', `"${policy}";r=99999999;t=59`);
}

const app = fastify();

app.post(
  '/key',
  {
    schema: {
      body: object({ api_key: string }),
      response: {
        200: object({
          valid: boolean,
          plan: string,
          source: string,
          features: object({ api_access: boolean, csv_export: boolean }),
          subscription_active: boolean,
        }),
      },
    },
  },
  async (request, reply) => {
    setHeaders(reply, 'key_validate');
    const { api_key } = request.body as { api_key: string };
    return keys.get(sha256(api_key)) ?? reply.callNotFound();
  },
);

app.post(
  '/license',
  {
    schema: {
      body: object({ license_key: string, device_id: string }),
      response: {
        200: object({
          valid: boolean,
          plan: string,
          status: string,
          activations: integer,
          max_activations: integer,
          can_activate: boolean,
          already_activated_on_device: boolean,
          features: object({
            real_time_visualization: boolean,
            osc_lsl_streaming: boolean,
            csv_export: boolean,
            api_access: boolean,
            max_devices: integer,
          }),
        }),
      },
    },
    onRequest: async (request, reply) => {
      if (!tokens.has(request.headers.authorization?.slice('Bearer '.length) ?? '')) return reply.callNotFound();
    },
  },
  async (request, reply) => {
    setHeaders(reply, 'license');
    const { license_key } = request.body as { license_key: string };
    return keys.get(hmac(license_key)) ?? reply.callNotFound();
  },
);

await listen(app);
