/** Registers entries of the endpoint table as routes, which define rate limit, authentication, parsing and response. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { z } from 'zod';
import { apiRoot, type Endpoint, type EndpointName, endpoints, type ResponseOf } from '../../shared/api/endpoints.ts';
import { runWithBudget } from '../request-budget.ts';
import type { BearerAuth, SignedInUser } from './bearer-auth.ts';
import { readJsonBody } from './json-body.ts';
import { sendJson } from './json-response.ts';
import { parseRequest } from './parse-request.ts';
import type { EndpointLimit, RequestLimiter } from './request-limiter.ts';
import { stateOf } from './request-state.ts';
import { createSerializer } from './serialize.ts';

type Table = typeof endpoints;

/** What a handler gets: the parsed request, with nothing left of HTTP but headers and address. */
export type Input<N extends EndpointName> = {
  /** The parsed body; `undefined` if the endpoint takes none. */
  readonly body: Table[N] extends { request: infer R extends z.ZodType } ? z.output<R> : undefined;
  /** The parsed parameters of the path. */
  readonly params: Table[N] extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  /** The signed-in user; `undefined` if the endpoint needs no authentication. */
  readonly user: Table[N]['auth'] extends 'bearer' ? SignedInUser : undefined;
  readonly headers: IncomingHttpHeaders;
  /** The client's address, taken from trusted proxies if there are any. */
  readonly address: string;
};

/** A response with a status other than 200, from the endpoint's `otherResponses`. */
export class OtherResponse {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

type Answer<N extends EndpointName> = ResponseOf<N> | OtherResponse;

/** Returns the response without a promise if everything it needs is cached. */
export type Handler<N extends EndpointName> = (input: Input<N>) => Answer<N> | Promise<Answer<N>>;

export type EndpointRoutesDeps = {
  readonly app: FastifyInstance;
  readonly limiter: RequestLimiter;
  readonly auth: BearerAuth;
};

export class EndpointRoutes {
  readonly #deps: EndpointRoutesDeps;

  constructor(deps: EndpointRoutesDeps) {
    this.#deps = deps;
  }

  /**
   * Adds one endpoint: `routes.add('heartbeat', ({ body, user }) => heartbeats.record(user.id, body.device_id))`.
   * All of it happens in the hook, because what Fastify does between a hook and a handler takes longer than most handlers.
   */
  add<N extends EndpointName>(name: N, handler: Handler<N>): void {
    const endpoint: Endpoint = endpoints[name];
    const limit = this.#deps.limiter.limitOf(endpoint.rate, name);
    const respond = createResponder(endpoint, handler as Handler<EndpointName>);
    const hasBody = endpoint.method !== 'GET';
    this.#deps.app.route({
      method: endpoint.method as HTTPMethods,
      url: apiRoot + endpoint.path,
      onRequest: (request, reply, done) => {
        const next = () => {
          if (!hasBody) return respond(request, reply, undefined, done);
          // The client may take its time to send the body.
          const { budget } = stateOf(request);
          budget.pause();
          readJsonBody(request, reply, (error, body) => {
            budget.resume();
            if (error) done(error);
            else respond(request, reply, body, done);
          });
        };
        const admitted = endpoint.auth === 'none' ? limit.countAddress(request) : this.#admitUser(limit, request);
        if (admitted) admitted.then(next, done);
        else next();
      },
      handler: () => {
        throw new TypeError('the hook has responded');
      },
    });
  }

  /** An authenticated request counts against its user, any other, also one with an invalid token, against its address. */
  #admitUser(limit: EndpointLimit, request: FastifyRequest): void | Promise<void> {
    const state = stateOf(request);
    const user = this.#deps.auth.authenticateFromMemory(request.headers);
    if (user) {
      state.user = user;
      return limit.countUser(request, user.id);
    }
    return runWithBudget(state.budget, () => this.#authenticateAndCount(limit, request));
  }

  async #authenticateAndCount(limit: EndpointLimit, request: FastifyRequest): Promise<void> {
    let user: SignedInUser;
    try {
      user = await this.#deps.auth.authenticate(request.headers);
    } catch (error) {
      await limit.countAddress(request);
      throw error;
    }
    stateOf(request).user = user;
    await limit.countUser(request, user.id);
  }
}

type Fail = (error: Error) => void;
type Responder = (request: FastifyRequest, reply: FastifyReply, body: unknown, fail: Fail) => void;

/** Parses a request by the schemas of its endpoint, and sends the answer of the handler; calls `fail` where one throws. */
function createResponder(endpoint: Endpoint, handler: Handler<EndpointName>): Responder {
  const { request: schema, requestOptional, params } = endpoint;
  const send = createSender(endpoint);
  return (request, reply, body, fail) => {
    try {
      const { budget, user } = stateOf(request);
      budget.require();
      const input = {
        body: schema && parseRequest(schema, requestOptional ? (body ?? {}) : body),
        params: params && parseRequest(params, request.params),
        user,
        headers: request.headers,
        address: request.ip,
      } as Input<EndpointName>;
      const answer = runWithBudget(budget, () => handler(input));
      if (answer instanceof Promise) answer.then((response) => send(request, reply, response)).catch(fail);
      else send(request, reply, answer);
    } catch (error) {
      fail(error as Error);
    }
  };
}

type Sender = (request: FastifyRequest, reply: FastifyReply, response: unknown) => void;

function createSender(endpoint: Endpoint): Sender {
  const serialize = createSerializer(endpoint.response);
  const others = new Map(
    Object.entries(endpoint.otherResponses ?? {}).map(([status, schema]) => [Number(status), createSerializer(schema)]),
  );
  return (request, reply, response) => {
    if (!(response instanceof OtherResponse)) return sendJson(request, reply, 200, serialize(response));
    const serializeOther = others.get(response.status);
    if (!serializeOther) throw new TypeError(`the endpoint has no response with status ${response.status}`);
    sendJson(request, reply, response.status, serializeOther(response.body));
  };
}
