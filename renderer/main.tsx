/** The entry: asks main for the state once, then follows its notifications. */
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { bridge } from './bridge.ts';
import { startSentences } from './i18n/sentences.ts';
import { placeOfHash } from './routing.ts';
import { useStore } from './store.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/frame.css';
import './styles/state-header.css';
import './styles/sign-in.css';
import './styles/content.css';
import './styles/overview.css';
import './styles/features.css';
import './styles/devices.css';
import './styles/installer-and-key.css';
import './styles/settings.css';
import './styles/overlays.css';

const root = document.getElementById('window');
if (root === null) throw new Error('index.html has no #window');

window.addEventListener('hashchange', () => useStore.setState({ place: placeOfHash(window.location.hash) }));
// A file dropped beside the drop zone must not replace the page.
for (const name of ['dragover', 'drop'] as const) window.addEventListener(name, (event) => event.preventDefault());

bridge.onState((app) =>
  useStore.setState(({ freshApiKey }) => ({
    app,
    startFailure: null,
    // A key that is shown once must not wait for whoever signs in next.
    freshApiKey: app.session.kind === 'signed-in' ? freshApiKey : null,
  })),
);
bridge.getState().then(
  (app) => useStore.setState((store) => ({ app: store.app ?? app })),
  (error: unknown) =>
    useStore.setState({
      startFailure: { code: 'INTERNAL', message: String(error), at: new Date().toISOString() },
    }),
);

await startSentences();
createRoot(root).render(<App />);
