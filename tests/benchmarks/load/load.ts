/** The input and the result of a load generator. */

export type LoadedRequest = {
  /** The access token, if the request has one. */
  readonly token?: string;
  /** JSON on one line. `numberMark` in it becomes a number that no other request of the load has. */
  readonly body?: string;
};

export type Load = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly seconds: number;
  /** Ends the load early after this many responses. */
  readonly responses?: number;
  readonly connections: number;
  /** Sent in turn, by whichever connection is free. */
  readonly requests: readonly LoadedRequest[];
  /** Every response must have status 200 and this text in its body. */
  readonly marker: string;
  /** The first number for `numberMark`. */
  readonly firstNumber?: number;
  /** The value of this string field of a response replaces the one in a later request. */
  readonly carry?: string;
};

/** Placeholder for eight hexadecimal digits. */
export const numberMark = '########';

export type LoadResult = {
  /** Number of responses, each of which was checked. */
  readonly responses: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Number of unexpected responses, broken connections and timeouts. */
  readonly wrong: number;
  /** The first of them. */
  readonly firstWrong?: string;
};
