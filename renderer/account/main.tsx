/** The entry point of the account page. */
import './page-bridge.ts';
import { windowMessages } from '../i18n/messages.ts';
import { languageFor } from '../i18n/shared-messages.ts';
import { startPage } from '../i18n/start-page.ts';
import { connectStore } from '../store.ts';
import { AccountApp } from './AccountApp.tsx';
import { readSettings } from './page-settings.ts';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/layout.css';
import '../styles/sign-in.css';
import '../styles/content.css';
import '../styles/overview.css';
import '../styles/features.css';
import '../styles/devices.css';
import '../styles/installer-and-key.css';
import '../styles/settings.css';
import '../styles/overlays.css';
import './account-page.css';

connectStore();
await startPage(windowMessages, languageFor(readSettings().language), <AccountApp />);
