/** Registers entries of the endpoint tables as routes, which define rate limit, authentication, parsing and response. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { apiRoot, type Endpoint } from '../../shared/api/endpoints.ts';
import { ApiError } from '../errors.ts';
import { runWithBudget } from '../request-budget.ts';
import type { BearerAuth } from './bearer-auth.ts';
import { createAdmission } from './endpoint-admission.ts';
import { type AnyEndpointName, findEndpoint, type Handler, type Input } from './endpoint-handler.ts';
import { createSender } from './endpoint-response.ts';
import { FileUploads } from './file-upload.ts';
import { readJsonBody } from './json-body.ts';
import { parseRequest } from './parse-request.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { stateOf } from './request-state.ts';
import type { StaffAuth } from './staff-auth.ts';

export type EndpointRoutesDeps = {
  readonly app: FastifyInstance;
  readonly limiter: RequestLimiter;
  readonly auth: BearerAuth;
  readonly staffAuth: StaffAuth;
};

export class EndpointRoutes {
  readonly #deps: EndpointRoutesDeps;
  readonly #uploads: FileUploads;

  constructor(deps: EndpointRoutesDeps) {
    this.#deps = deps;
    this.#uploads = new FileUploads(deps.app.server);
  }

  /**
   * Adds one endpoint: `routes.add('heartbeat', ({ body, user }) => heartbeats.record(user.id, body.device_id))`.
   * All of it happens in the hook, because what Fastify does between a hook and a handler takes longer than most handlers.
   */
  add<N extends AnyEndpointName>(name: N, handler: Handler<N>): void {
    const endpoint = findEndpoint(name);
    const isAdmin = name in adminEndpoints;
    const limit = this.#deps.limiter.limitOf(endpoint.rate, name);
    const admit = createAdmission({ ...endpoint, isAdmin }, { ...this.#deps, limit });
    const readInput = isAdmin ? this.#createAdminReader(endpoint) : createReader(endpoint);
    const respond = createResponder(endpoint, readInput, handler as Handler<AnyEndpointName>);
    const readBody = this.#chooseBody(endpoint);
    this.#deps.app.route({
      method: endpoint.method as HTTPMethods,
      url: apiRoot + endpoint.path,
      onRequest: (request, reply, done) => {
        const fail = isAdmin ? this.#recordRefusal(name, request, done) : done;
        const next = () => {
          if (!readBody) return respond(request, reply, undefined, fail);
          // The client may take its time to send the body.
          const { budget } = stateOf(request);
          budget.pause();
          readBody(request, reply, (error, body) => {
            budget.resume();
            if (error) fail(error);
            else respond(request, reply, body, fail);
          });
        };
        const admitted = admit(request);
        if (admitted) admitted.then(next, fail);
        else next();
      },
      handler: () => {
        throw new TypeError('the hook has responded');
      },
    });
  }

  #recordRefusal(endpoint: string, request: FastifyRequest, done: Fail): Fail {
    return (error) => {
      const { staff } = stateOf(request);
      const isRefusal = error instanceof ApiError && error.code === 'FORBIDDEN';
      if (staff && isRefusal) this.#deps.staffAuth.noteRefusal(staff, endpoint, request.ip);
      done(error);
    };
  }

  #chooseBody({ method, upload }: Endpoint): ReadBody | undefined {
    if (upload === undefined) return method === 'GET' ? undefined : readJsonBody;
    return (request, reply, done) => this.#uploads.receive(request, reply, { maxBytes: upload, done });
  }

  #createAdminReader(endpoint: Endpoint): ReadInput {
    const { query } = endpoint;
    const readInput = createReader(endpoint);
    return (request, body) => ({
      ...readInput(request, body),
      query: query && parseRequest(query, request.query),
      staff: stateOf(request).staff,
      site: this.#deps.staffAuth.siteOf(request),
    });
  }
}

type Fail = (error: Error) => void;
type ReadBody = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error: Error | undefined, body?: unknown) => void,
) => void;
type ReadInput = (request: FastifyRequest, body: unknown) => object;
type Responder = (request: FastifyRequest, reply: FastifyReply, body: unknown, fail: Fail) => void;

/** Parses a request by the schemas of its endpoint. */
function createReader({ request: schema, requestOptional, params, upload }: Endpoint): ReadInput {
  return (request, body) => ({
    body: upload === undefined ? schema && parseRequest(schema, requestOptional ? (body ?? {}) : body) : body,
    params: params && parseRequest(params, request.params),
    user: stateOf(request).user,
    headers: request.headers,
    address: request.ip,
  });
}

/** Sends the answer of the handler; calls `fail` where something throws. */
function createResponder(endpoint: Endpoint, readInput: ReadInput, handler: Handler<AnyEndpointName>): Responder {
  const send = createSender(endpoint);
  return (request, reply, body, fail) => {
    try {
      const { budget } = stateOf(request);
      budget.require();
      const input = readInput(request, body) as Input<AnyEndpointName>;
      const answer = runWithBudget(budget, () => handler(input));
      if (answer instanceof Promise) answer.then((response) => send(request, reply, response)).catch(fail);
      else send(request, reply, answer);
    } catch (error) {
      fail(error as Error);
    }
  };
}
