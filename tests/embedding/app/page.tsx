import type {} from 'latchkey-client/preload';
import { Gate, LicensingProvider, useAppState } from 'latchkey-client/react';
import { createRoot } from 'react-dom/client';
import { SignIn } from './sign-in.js';

function Page() {
  const session = useAppState()?.session;
  const name = session?.kind === 'signed-in' ? session.user.full_name : null;
  return (
    <main>
      {name === null ? <SignIn /> : <p>Hello {name}</p>}
      <Gate feature="csv_export" fallback={<p>Export is not included.</p>}>
        <button type="button">Export</button>
      </Gate>
    </main>
  );
}

createRoot(document.body).render(
  <LicensingProvider bridge={window.licensing}>
    <Page />
  </LicensingProvider>,
);
