/** The frame around the places: sidebar, state header, warnings, and what may lie over it. */
import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { useSentences } from '../i18n/use-sentences.ts';
import { ActivityView } from '../routes/ActivityView.tsx';
import { ApiKey } from '../routes/ApiKey.tsx';
import { Devices } from '../routes/Devices.tsx';
import { Features } from '../routes/Features.tsx';
import { Installer } from '../routes/Installer.tsx';
import { Overview } from '../routes/Overview.tsx';
import { SettingsView } from '../routes/SettingsView.tsx';
import { goTo, type Place, places } from '../routing.ts';
import { showPalette, useStore } from '../store.ts';
import { CommandPalette } from './CommandPalette.tsx';
import { KeyringQuestion } from './KeyringQuestion.tsx';
import { Sidebar } from './Sidebar.tsx';
import { StateHeader } from './StateHeader.tsx';
import { UnsavedKeyReminder } from './UnsavedKeyReminder.tsx';
import { Warnings } from './Warnings.tsx';

const views: Readonly<Record<Place, () => React.ReactNode>> = {
  overview: Overview,
  features: Features,
  devices: Devices,
  apiKey: ApiKey,
  installer: Installer,
  activity: ActivityView,
  settings: SettingsView,
};

export function Frame() {
  const { t } = useSentences();
  const place = useStore((store) => store.place);
  const View = views[place];
  useShortcuts();
  useEffect(() => {
    document.title = `${t(`navigation.${place}`)} · ${t('name')}`;
  }, [place, t]);
  return (
    <div className="frame">
      <Button className="skip" onPress={() => document.getElementById('content')?.focus()}>
        {t('navigation.skip')}
      </Button>
      <Sidebar />
      <div className="frame-main">
        <StateHeader />
        <main id="content" className="content" tabIndex={-1}>
          <Warnings />
          <UnsavedKeyReminder />
          <View key={place} />
        </main>
      </div>
      <CommandPalette />
      <KeyringQuestion />
    </div>
  );
}

/** Ctrl or Cmd with 1 to 7 for places, with K for the palette. */
function useShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      const place = places[Number(event.key) - 1];
      const wantsPalette = event.key.toLowerCase() === 'k';
      if (place === undefined && !wantsPalette) return;
      event.preventDefault();
      if (wantsPalette) showPalette(true);
      else if (place !== undefined) goTo(place);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
