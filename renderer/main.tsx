/** The window's entry point: connects the store to the app state and renders the app. */
import { App } from './App.tsx';
import { windowMessages } from './i18n/messages.ts';
import { languageFor } from './i18n/shared-messages.ts';
import { startPage } from './i18n/start-page.ts';
import { connectOpenRequests } from './open-request.ts';
import { routeFromHash } from './routing.ts';
import { connectStore, useStore } from './store.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/state-header.css';
import './styles/sign-in.css';
import './styles/content.css';
import './styles/overview.css';
import './styles/features.css';
import './styles/devices.css';
import './styles/installer-and-key.css';
import './styles/settings.css';
import './styles/overlays.css';

window.addEventListener('hashchange', () => useStore.setState({ route: routeFromHash(window.location.hash) }));
// A file dropped outside the drop zone must not replace the page.
for (const name of ['dragover', 'drop'] as const) window.addEventListener(name, (event) => event.preventDefault());

connectStore();
connectOpenRequests();
await startPage(windowMessages, languageFor('system'), <App />);
