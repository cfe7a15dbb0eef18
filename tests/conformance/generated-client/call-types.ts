/** The input and output types of a call of the generated client. */

export type CallInput<Body, Query = undefined> = {
  readonly body: Body;
  readonly query: Query;
  /** The path parameters, in order. */
  readonly at: readonly [string, string];
  readonly headers: Readonly<Record<string, string>>;
};

export type CallResult<Data> = {
  /** The body of a response with status 200. */
  readonly data?: Data;
  /** The body of a response with any other status. */
  readonly error?: unknown;
};
