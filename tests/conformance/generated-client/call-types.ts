/** What a call of the generated client is given, and what it gives. */

export type CallInput<Body, Query = undefined> = {
  readonly body: Body;
  readonly query: Query;
  /** The parameters of the path, in their order. */
  readonly at: readonly [string, string];
  readonly headers: Readonly<Record<string, string>>;
};

export type CallResult<Data> = {
  /** With status 200. */
  readonly data?: Data;
  /** With any other. */
  readonly error?: unknown;
};
