/** A text field with label, hint and error. */
import { type ReactNode, useId } from 'react';

type Props = {
  /** Id by which a command focuses the field. */
  readonly id?: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date';
  readonly hint?: ReactNode;
  readonly error?: string | null;
  /** The server's objection: announced immediately, since the focus is elsewhere by then. */
  readonly refusal?: string | null;
  /** Minimum number or day. */
  readonly min?: string;
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly autoFocus?: boolean;
  readonly onEnter?: () => void;
  readonly onEscape?: () => void;
  /** A control at the end of the field. */
  readonly trailing?: ReactNode;
};

/** The error replaces the hint in the same position, so that nothing jumps. */
export function Field({ id, label, hint, trailing, mono = false, onChange, onEnter, onEscape, ...props }: Props) {
  const { error = null, refusal = null, ...input } = props;
  const ownId = useId();
  const inputId = id ?? ownId;
  const messageId = useId();
  const isRefused = error === null && refusal !== null;
  const invalid = error !== null || isRefused;
  const message = error ?? refusal ?? hint;
  return (
    <div className={invalid ? 'field field-invalid' : 'field'}>
      <label className="label" htmlFor={inputId}>
        {label}
      </label>
      <div className="field-box">
        <input
          {...input}
          data-autofocus={input.autoFocus || undefined}
          id={inputId}
          className={mono ? 'input mono' : 'input'}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => {
            const act = event.key === 'Enter' ? onEnter : event.key === 'Escape' ? onEscape : undefined;
            if (act === undefined) return;
            event.preventDefault();
            act();
          }}
          aria-invalid={invalid || undefined}
          aria-describedby={message === undefined ? undefined : messageId}
          spellCheck={false}
          autoCapitalize="off"
        />
        {trailing}
      </div>
      {message !== undefined && (
        <span
          key={isRefused ? 'refusal' : 'message'}
          id={messageId}
          className={invalid ? 'hint hint-error' : 'hint'}
          role={isRefused ? 'alert' : undefined}
        >
          {message}
        </span>
      )}
    </div>
  );
}
