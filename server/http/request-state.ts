/** What the service knows of a request besides Fastify: its budget, its user and its rate limit. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LimitState } from '../errors.ts';
import { RequestBudget } from '../request-budget.ts';
import type { SignedInUser } from './bearer-auth.ts';
import type { Shutdown } from './connections.ts';

export type RequestState = {
  /** Ends when the client closes the connection. */
  readonly budget: RequestBudget;
  /** Set once the request is authenticated. */
  user: SignedInUser | undefined;
  /** What the headers of its response say of a limit. */
  limit: LimitState | undefined;
  readonly shutdown: Shutdown;
};

const decorator = 'latchkeyState';

type WithState = { [decorator]: RequestState | null };

/** To be called before any other hook is added, so that these find the state. */
export function addRequestState(app: FastifyInstance, budgetMs: number, shutdown: Shutdown): void {
  app.decorateRequest(decorator, null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    const budget = new RequestBudget(budgetMs, () => socket.destroyed);
    (request as unknown as WithState)[decorator] = { budget, user: undefined, limit: undefined, shutdown };
    done();
  });
}

/** `undefined` for a request that the framework rejects before it looks for a route. */
export function findState(request: FastifyRequest): RequestState | undefined {
  return (request as unknown as WithState)[decorator] ?? undefined;
}

/** For hooks and handlers of routes, which run after the state was added. */
export function stateOf(request: FastifyRequest): RequestState {
  const state = findState(request);
  if (!state) throw new TypeError('the request has no state yet');
  return state;
}
