/**
 * The network between a machine and the server: it delays, drops, repeats and reorders requests, and cuts off
 * responses.
 */
import type { HttpRequest, HttpResult } from '../../electron/licensing/platform.ts';
import { type OtherServer, otherAddress } from './other-server.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Answer, type SimulatedServer, serverAddress } from './simulated-server.ts';
import type { VirtualTime } from './virtual-time.ts';

export const networkQualities = ['good', 'slow', 'lossy', 'cut', 'captive-portal', 'broken-proxy'] as const;
export type NetworkQuality = (typeof networkQualities)[number];

/** An exchange as the server saw it, whether or not the machine got the response. */
export type Exchange = {
  readonly machine: string;
  readonly method: string;
  readonly path: string;
  readonly requestBody: string;
  readonly answer: Answer;
  readonly isDelivered: boolean;
};

export type SimulatedNetworkDeps = {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly server: SimulatedServer;
  readonly other: OtherServer;
  readonly machine: string;
  readonly address: string;
  /** Called with everything that the machine sends. */
  readonly onSend: (request: HttpRequest) => void;
  /** Called when the machine gets the response, or when the response is lost. */
  readonly onExchange: (exchange: Exchange) => void;
};

type Fate = {
  readonly delayMs: number;
  readonly arrives: boolean;
  readonly isRepeated: boolean;
  readonly isAnswered: boolean;
  readonly answerDelayMs: number;
};

export class SimulatedNetwork {
  quality: NetworkQuality = 'good';
  readonly #deps: SimulatedNetworkDeps;

  constructor(deps: SimulatedNetworkDeps) {
    this.#deps = deps;
  }

  /** Sends a request; `isAlive` returns false once the sender has stopped. */
  readonly send = (request: HttpRequest, isAlive: () => boolean): Promise<HttpResult> => {
    const { time } = this.#deps;
    this.#deps.onSend(request);
    return new Promise((resolve) => {
      let isOver = false;
      const end = (result: HttpResult): boolean => {
        if (isOver || !isAlive()) return false;
        isOver = true;
        cancelTimeout();
        resolve(result);
        return true;
      };
      const cancelTimeout = time.at(time.nowMs + request.timeoutMs, () => end(failed('timeout')));
      request.signal?.addEventListener('abort', () => end(failed('canceled')), { once: true });
      if (request.signal?.aborted) end(failed('canceled'));
      else this.#exchange(request, end);
    });
  };

  #exchange(request: HttpRequest, end: (result: HttpResult) => boolean): void {
    const { time } = this.#deps;
    const fate = this.#decideFate();
    if (this.quality === 'cut') {
      time.at(time.nowMs + fate.delayMs, () => end(failed('unreachable')));
      return;
    }
    const foreign = this.#foreignAnswer();
    if (foreign) {
      time.at(time.nowMs + fate.delayMs, () => end({ ok: true, response: foreign }));
      return;
    }
    if (!fate.arrives) return;
    time.at(time.nowMs + fate.delayMs, () => void time.track(this.#deliver(request, fate, end)));
    if (fate.isRepeated) {
      time.at(time.nowMs + fate.delayMs * 2, () => void time.track(this.#deliver(request, fate, () => false)));
    }
  }

  async #deliver({ method, url, headers, body }: HttpRequest, fate: Fate, end: (result: HttpResult) => boolean) {
    const { time, server, other, machine, address, onExchange } = this.#deps;
    if (url.startsWith(otherAddress)) {
      const response = other.handle({ method, path: url.slice(otherAddress.length), headers, body });
      if (fate.isAnswered) time.at(time.nowMs + fate.answerDelayMs, () => end({ ok: true, response }));
      return;
    }
    const path = url.slice(serverAddress.length);
    const answer = await server.handle({ method, path, headers, body, from: address });
    if (!answer) {
      end(failed('unreachable'));
      return;
    }
    const exchange = { machine, method, path, requestBody: body ?? '', answer };
    if (!fate.isAnswered) {
      onExchange({ ...exchange, isDelivered: false });
      return;
    }
    time.at(time.nowMs + fate.answerDelayMs, () => {
      const isDelivered = this.quality !== 'cut' && end({ ok: true, response: answer });
      onExchange({ ...exchange, isDelivered });
    });
  }

  #decideFate(): Fate {
    const { random } = this.#deps;
    const isLossy = this.quality === 'lossy';
    // In coarse steps, so that requests of several machines often arrive at the same moment.
    const slowness = this.quality === 'slow' ? 400 : 4;
    const delay = () => 10 * (1 + random.integer(slowness));
    const delayMs = delay();
    const arrives = !random.chance(isLossy ? 0.2 : 0);
    const isRepeated = random.chance(isLossy ? 0.15 : 0.01);
    const isAnswered = !random.chance(isLossy ? 0.25 : 0);
    return { delayMs, arrives, isRepeated, isAnswered, answerDelayMs: delay() };
  }

  /** Returns the response of something other than the server. */
  #foreignAnswer(): Answer | undefined {
    const { quality } = this;
    const headers = { 'content-type': 'text/html' };
    if (quality === 'captive-portal') return { status: 200, headers, body: '<html>Sign in to the network</html>' };
    if (quality === 'broken-proxy') return { status: 502, headers, body: '<html>Bad gateway</html>' };
    return undefined;
  }
}

function failed(reason: 'unreachable' | 'timeout' | 'canceled'): HttpResult {
  return { ok: false, reason, message: `simulated: ${reason}` };
}
