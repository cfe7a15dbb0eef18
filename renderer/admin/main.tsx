/** The entry point of the admin page. */
import { languageFor } from '../i18n/shared-messages.ts';
import { startPage } from '../i18n/start-page.ts';
import { AdminApp } from './AdminApp.tsx';
import { adminMessages } from './i18n/messages.ts';
import { usePreferences } from './preferences.ts';
import { openWelcomeLink, startSession } from './session/session-store.ts';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/layout.css';
import '../styles/sign-in.css';
import '../styles/content.css';
import '../styles/devices.css';
import '../styles/installer-and-key.css';
import '../styles/settings.css';
import '../styles/overlays.css';
import './styles/admin-layout.css';
import './styles/list.css';
import './styles/record.css';
import './styles/forms.css';
import './styles/screens.css';
import './styles/installers.css';

// A one-time link may also be opened in a tab that already shows the page.
window.addEventListener('hashchange', () => openWelcomeLink());
// A file dropped outside a drop zone must not replace the page.
for (const name of ['dragover', 'drop'] as const) window.addEventListener(name, (event) => event.preventDefault());

void startSession();
await startPage(adminMessages, languageFor(usePreferences.getState().language), <AdminApp />);
