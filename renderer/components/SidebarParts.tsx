/**
 * Parts of a sidebar: its frame, links, and the account menu; on narrow pages a column of icons or a bar at the bottom.
 */
import { ChevronsUpDown, type LucideIcon, Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { Brand } from './Brand.tsx';
import { Popover } from './Popover.tsx';
import { textWithMod } from './shortcut-text.ts';

type SidebarFrameProps = {
  readonly searchLabel: string;
  readonly onSearch: () => void;
  readonly navigationLabel: string;
  /** List items containing `NavigationLink`. */
  readonly links: ReactNode;
  readonly account: ReactNode;
};

export function SidebarFrame({ searchLabel, onSearch, navigationLabel, links, account }: SidebarFrameProps) {
  const { t } = useSharedMessages();
  return (
    <div className="sidebar">
      <Brand />
      <button type="button" className="sidebar-search" onClick={onSearch}>
        <Search className="icon" aria-hidden />
        <span className="sidebar-label">{searchLabel}</span>
        <span className="keys" data-keys={textWithMod('K', t)} aria-hidden />
      </button>
      <nav aria-label={navigationLabel}>
        <ul>{links}</ul>
      </nav>
      {account}
    </div>
  );
}

type NavigationLinkProps = {
  readonly href: string;
  readonly label: string;
  readonly description?: string | undefined;
  readonly icon: LucideIcon;
  readonly isCurrent: boolean;
};

export function NavigationLink({ href, label, description, icon: Icon, isCurrent }: NavigationLinkProps) {
  const ref = useRef<HTMLAnchorElement>(null);
  // On narrow pages, the bar may scroll.
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent]);
  return (
    <a
      ref={ref}
      className="nav-link"
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      aria-description={description}
      title={label}
    >
      <Icon className="icon" aria-hidden />
      <span className="sidebar-label">{label}</span>
    </a>
  );
}

export type AccountMenuProps = {
  readonly user: { readonly email: string; readonly full_name: string };
  /** Shown below the email, such as a role. */
  readonly more?: string;
  readonly placement?: 'above' | 'below' | undefined;
  /** The menu items. */
  readonly children: ReactNode;
};

/** Named after the email, so that screen readers announce who is signed in. */
export function AccountMenu({ user: { email, full_name }, more, placement = 'above', children }: AccountMenuProps) {
  return (
    <Popover
      role="menu"
      label={email}
      placement={placement}
      buttonClassName="account"
      button={
        <>
          <span className="avatar" data-initial={(full_name.trim() || email).charAt(0).toUpperCase()} aria-hidden />
          <span className="account-text sidebar-label" title={email}>
            <span className="account-email">
              <Email address={email} />
            </span>
            {more !== undefined && (
              <span className="account-more" aria-hidden>
                {more}
              </span>
            )}
          </span>
          <ChevronsUpDown className="icon icon-small account-mark" aria-hidden />
        </>
      }
    >
      {() => (
        <>
          <p className="menu-heading" aria-hidden>
            <Email address={email} />
          </p>
          {children}
        </>
      )}
    </Popover>
  );
}

/** An email address; if it is too long for one line, the host wraps to the next. */
function Email({ address }: { readonly address: string }) {
  const hostAt = address.lastIndexOf('@') + 1;
  return (
    <>
      {address.slice(0, hostAt)}
      <wbr />
      {address.slice(hostAt)}
    </>
  );
}
