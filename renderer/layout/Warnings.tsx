/** What the server found unusual, until the person puts it away. */
import { X } from 'lucide-react';
import { Button } from 'react-aria-components';
import { ask, bridge } from '../bridge.ts';
import { Ago } from '../components/Ago.tsx';
import { Banner } from '../components/Banner.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';

export function Warnings() {
  const { t } = useSentences();
  const warnings = useApp((app) => app.warnings);
  return (
    <section className="warnings" aria-label={t('warnings.label')} aria-live="polite">
      {warnings.map((warning) => (
        <Banner
          key={warning.id}
          tone="attention"
          title={warning.text}
          acts={
            <Button
              className="button button-quiet button-icon"
              aria-label={t('warnings.dismiss')}
              onPress={() => void ask(() => bridge.dismissWarning({ id: warning.id }))}
            >
              <X className="icon" aria-hidden />
            </Button>
          }
        >
          <Ago at={warning.since} />
        </Banner>
      ))}
    </section>
  );
}
