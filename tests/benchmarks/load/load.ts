/** What a load generator sends, and what it found. */

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
  /** Ends after so many responses where that is sooner. */
  readonly responses?: number;
  readonly connections: number;
  /** Sent in turn, by whichever connection is free. */
  readonly requests: readonly LoadedRequest[];
  /** Every response must have status 200 and this text in its body. */
  readonly marker: string;
  /** The first number for `numberMark`. */
  readonly firstNumber?: number;
  /** This string field of a response goes into a later request, in place of the one that was sent. */
  readonly carry?: string;
};

/** Stands for eight hexadecimal digits. */
export const numberMark = '########';

export type LoadResult = {
  /** How many responses there were; each was checked. */
  readonly responses: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Responses other than the expected one, broken connections and time-outs. */
  readonly wrong: number;
  /** The first of them. */
  readonly firstWrong?: string;
};
