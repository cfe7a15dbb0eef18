/** Requests of the replayed client: they are answered as recorded, and wait until the recorded time. */
import type { Http, HttpRequest, HttpResult } from '../../../electron/licensing/platform.ts';
import { apiRoot, type Endpoint, endpoints } from '../../../shared/api/endpoints.ts';
import { leaseKeysEndpoint } from '../../../shared/api/lease.ts';

type Waiting = {
  readonly endpoint: string;
  readonly request: HttpRequest;
  readonly resolve: (result: HttpResult) => void;
};

/** Returns the immediate result of a request, or `undefined` to let it wait. */
export type Answer = (endpoint: string) => HttpResult | undefined;

const canceled: HttpResult = { ok: false, reason: 'canceled', message: 'canceled' };

export class ReplayHttp implements Http {
  readonly #answer: Answer;
  #waiting: Waiting[] = [];
  /** An immediate retry is part of the same call, for which one result was recorded. */
  readonly #results = new WeakMap<HttpRequest, HttpResult>();

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  readonly send = (request: HttpRequest): Promise<HttpResult> => {
    const endpoint = findEndpoint(request);
    if (request.signal?.aborted || endpoint === undefined) return Promise.resolve(canceled);
    const result = this.#results.get(request) ?? this.#answer(endpoint);
    if (result) return Promise.resolve(this.#note(request, result));
    return new Promise((resolve) => {
      const waiting = { endpoint, request, resolve };
      this.#waiting.push(waiting);
      request.signal?.addEventListener('abort', () => this.#end(waiting, canceled), { once: true });
    });
  };

  /** Returns the endpoint of the request that has waited longest, of all or for that endpoint. */
  waitsFor(endpoint?: string): string | undefined {
    return this.#waiting.find((each) => endpoint === undefined || each.endpoint === endpoint)?.endpoint;
  }

  /** Answers the request that has waited longest for that endpoint. */
  deliver(endpoint: string, result: HttpResult): void {
    const waiting = this.#waiting.find((each) => each.endpoint === endpoint);
    if (waiting) this.#end(waiting, this.#note(waiting.request, result));
  }

  #note(request: HttpRequest, result: HttpResult): HttpResult {
    this.#results.set(request, result);
    return result;
  }

  #end(waiting: Waiting, result: HttpResult): void {
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    waiting.resolve(result);
  }
}

const table: readonly [string, Endpoint][] = Object.entries(endpoints);

function findEndpoint({ method, url }: HttpRequest): string | undefined {
  if (url.endsWith(leaseKeysEndpoint.path)) return 'leaseKeys';
  const path = url.slice(url.indexOf(apiRoot) + apiRoot.length);
  return table.find(([, endpoint]) => endpoint.method === method && matches(endpoint.path, path))?.[0];
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path);
}
