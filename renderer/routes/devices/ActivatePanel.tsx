/** Where a license key is entered; on an activated device, the license that it holds. */
import { useState } from 'react';
import { ActButton } from '../../components/ActButton.tsx';
import { Panel } from '../../components/Panel.tsx';
import { ToneIcon } from '../../components/ToneIcon.tsx';
import { planName } from '../../i18n/plan-name.ts';
import { slotsOf } from '../../i18n/slots.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { holdsReleasedKey, useApp } from '../../store.ts';
import { ActivateAgain } from './ActivateAgain.tsx';
import { ActivateForm } from './ActivateForm.tsx';

export function ActivatePanel() {
  const { t } = useSentences();
  const device = useApp((app) => app.thisDevice);
  const blocked = useApp((app) => app.license.kind === 'blocked');
  const [another, setAnother] = useState(false);
  const holdsKey = useApp(holdsReleasedKey);
  const held = device?.license ?? null;
  const slots = slotsOf(held);

  if (holdsKey && held !== null) {
    return (
      <Panel title={t('devices.activateTitle')}>
        <p className="panel-intro">{t('devices.releasedIntro', { preview: held.keyPreview })}</p>
        <ActivateAgain />
        <div className="panel-more">
          <ActivateForm onActivated={() => setAnother(false)} />
        </div>
      </Panel>
    );
  }
  if (device === null || !device.activated || blocked) {
    return (
      <Panel title={t('devices.activateTitle')}>
        <p className="panel-intro">{t('devices.activateIntro')}</p>
        <ActivateForm onActivated={() => setAnother(false)} />
      </Panel>
    );
  }
  return (
    <Panel
      title={t('devices.activatedTitle')}
      aside={
        !another && (
          <ActButton weight="quiet" onPress={() => setAnother(true)}>
            {t('devices.anotherKey')}
          </ActButton>
        )
      }
    >
      <div className="held">
        <ToneIcon tone="good" />
        <p className="held-words">
          <span className="wrap-anywhere">{device.name || t('devices.unnamed')}</span>{' '}
          {held !== null && (
            <>
              <span className="mono">{held.keyPreview}</span> <span>{planName(held.plan, t)}</span>{' '}
              {slots !== null && <span className="tabular">{t('overview.activationsUsed', slots)}</span>}
            </>
          )}
        </p>
      </div>
      {another && (
        <div className="panel-more">
          <ActivateForm onActivated={() => setAnother(false)} />
        </div>
      )}
    </Panel>
  );
}
