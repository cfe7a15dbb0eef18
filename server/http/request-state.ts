/** What the server stores about a request, besides Fastify's own fields: its budget, its user and its rate limit. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LimitState } from '../errors.ts';
import { RequestBudget } from '../request-budget.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';
import type { SignedInUser } from './bearer-auth.ts';
import type { Shutdown } from './connections.ts';

export type RequestState = {
  /** Ends when the client closes the connection. */
  readonly budget: RequestBudget;
  /** Set once the request is authenticated. */
  user: SignedInUser | undefined;
  /** The same for an endpoint of the admin page. */
  staff: SignedInStaff | undefined;
  /** The rate limit that the headers of its response report. */
  limit: LimitState | undefined;
  readonly shutdown: Shutdown;
};

const decorator = 'latchkeyState';

type WithState = { [decorator]: RequestState | null };

/** Call it before adding any other hook, so that every hook finds the state. */
export function addRequestState(app: FastifyInstance, budgetMs: number, shutdown: Shutdown): void {
  app.decorateRequest(decorator, null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    const budget = new RequestBudget(budgetMs, () => socket.destroyed);
    const state = { budget, user: undefined, staff: undefined, limit: undefined, shutdown };
    (request as unknown as WithState)[decorator] = state;
    done();
  });
}

/** `undefined` for a request that Fastify rejects before it looks for a route. */
export function findState(request: FastifyRequest): RequestState | undefined {
  return (request as unknown as WithState)[decorator] ?? undefined;
}

/** For hooks and route handlers, which run after the state was added. Throws `TypeError` before that. */
export function stateOf(request: FastifyRequest): RequestState {
  const state = findState(request);
  if (!state) throw new TypeError('the request has no state yet');
  return state;
}
