/** Examples of the command line, to copy into a terminal or a script. */
import { CopyButton } from '../components/CopyButton.tsx';
import { Panel } from '../components/Page.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';

const examples = [
  ['status', 'status --check'],
  ['feature', 'feature csv_export'],
  ['doctor', 'doctor'],
] as const;

/** Nothing where the app does not say how its command line is called. */
export function CommandLinePanel() {
  const { t } = useMessages();
  const program = useApp((app) => app.app.shellCommand);
  if (program === undefined) return null;
  return (
    <Panel title={t('commandLine.title')}>
      <p className="panel-intro">{t('commandLine.intro')}</p>
      <ul className="command-examples" aria-label={t('commandLine.examples')}>
        {examples.map(([name, command]) => (
          <li key={name} className="command-example">
            <div className="command-example-text">
              <span>{t(`commandLine.${name}`)}</span>
              <code className="mono wrap-anywhere">{`${program} ${command}`}</code>
            </div>
            <CopyButton text={`${program} ${command}`} label={t('commandLine.copy', { command })} />
          </li>
        ))}
      </ul>
      <p className="hint">
        {t('commandLine.all')} <code className="mono wrap-anywhere">{`${program} --help`}</code>
      </p>
    </Panel>
  );
}
