/** The devices of the account; where the server cannot list them, a sentence that says so. */
import { MonitorOff, MonitorSmartphone, RefreshCw } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Device } from '../../../shared/ipc/app-state.ts';
import { ask, bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Empty } from '../../components/Empty.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';
import { FoundDevices } from './FoundDevices.tsx';
import { ReleaseQuestion } from './ReleaseQuestion.tsx';
import { useFocusAfterRelease } from './use-focus-after-release.ts';

const reload = () => void ask(() => bridge.listDevices());

type Releasing = { readonly device: Device; readonly next: Device | null };

export function DeviceList() {
  const { t } = useSentences();
  const { value, loading, failure } = useApp((app) => app.devices);
  const missing = useApp((app) => app.server.deviceList === 'missing');
  const [releasing, setReleasing] = useState<Releasing | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const focusAfter = useFocusAfterRelease(heading, value);

  if (missing) {
    return <Empty icon={MonitorOff} title={t('devices.missing')} hint={t('devices.missingHint')} />;
  }
  return (
    <Panel
      title={t('devices.yours')}
      headingRef={heading}
      aside={
        <Button className="button button-quiet button-icon" aria-label={t('devices.reload')} onPress={reload}>
          <RefreshCw className={loading ? 'icon spin' : 'icon'} aria-hidden />
        </Button>
      }
    >
      {failure !== null && (
        <FailureNotice failure={failure} acts={<ActButton onPress={reload}>{t('common.retry')}</ActButton>} />
      )}
      {value === null && failure === null && <Skeleton lines={5} />}
      {value?.length === 0 && (
        <Empty icon={MonitorSmartphone} title={t('devices.empty')} hint={t('devices.emptyHint')} />
      )}
      {value !== null && value.length > 0 && (
        <FoundDevices devices={value} onRelease={(device, next) => setReleasing({ device, next })} />
      )}
      {releasing !== null && (
        <ReleaseQuestion
          device={releasing.device}
          onReleased={({ activationId }) => focusAfter({ activationId, nextId: releasing.next?.activationId ?? null })}
          onClose={() => setReleasing(null)}
        />
      )}
    </Panel>
  );
}
