/** Whether the server responds, as the last call found. */
import { create } from 'zustand';

type Connection = {
  /** When the first call in a row found no server; `null` while it responds. */ readonly lostAt: string | null;
};

export const useConnection = create<Connection>()(() => ({ lostAt: null }));

/** To be called with the code of each failure, and `null` for each success. */
export function noteOutcome(code: string | null): void {
  const { lostAt } = useConnection.getState();
  if (code === 'SERVER_UNREACHABLE') {
    if (lostAt === null) useConnection.setState({ lostAt: new Date().toISOString() });
  } else if (code !== 'CANCELED' && lostAt !== null) {
    useConnection.setState({ lostAt: null });
  }
}
