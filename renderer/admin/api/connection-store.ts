/** Whether the server responded to the last call. */
import { create } from 'zustand';

type Connection = {
  /** Time of the first of consecutive calls without a response; `null` while the server responds. */
  readonly lostAt: string | null;
};

export const useConnection = create<Connection>()(() => ({ lostAt: null }));

/** Records the result of a call: its failure code, or `null` for a success. */
export function recordOutcome(code: string | null): void {
  const { lostAt } = useConnection.getState();
  if (code === 'SERVER_UNREACHABLE') {
    if (lostAt === null) useConnection.setState({ lostAt: new Date().toISOString() });
  } else if (code !== 'CANCELED' && lostAt !== null) {
    useConnection.setState({ lostAt: null });
  }
}
