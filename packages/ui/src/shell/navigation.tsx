/** The ways around: a sidebar where there is room, otherwise a bar at the top and one under the thumb. */

import {
  ActionIcon,
  Drawer,
  Kbd,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { DotsHorizontalIcon, KeyboardIcon, MagnifyingGlassIcon, MoonIcon, SunIcon } from '@radix-ui/react-icons'
import { useOnline } from '../app/data/events.ts'
import { useInfo } from '../app/data/info-store.ts'
import { MOD } from '../app/modifier-key.ts'
import classes from './navigation.module.css'
import { SCREENS, type Screen } from './screens.tsx'

interface NavigationProps {
  readonly current: string
  /** Questions that wait. */
  readonly waiting: number
  readonly onHelp: () => void
}

export function Sidebar({ current, waiting, onHelp }: NavigationProps) {
  const info = useInfo()
  const online = useOnline()
  return (
    <nav className={classes.sidebar} aria-label="Screens">
      <a className={classes.brand} href="#/servers" aria-label="Portico, to the servers">
        <Logo />
        <span>Portico</span>
      </a>
      <UnstyledButton className={classes.find} onClick={spotlight.open} aria-keyshortcuts="Control+K Meta+K">
        <MagnifyingGlassIcon aria-hidden="true" />
        <span>Find anything</span>
        <span className={classes.keys} aria-hidden="true">
          <Kbd size="xs">{MOD}</Kbd> <Kbd size="xs">K</Kbd>
        </span>
      </UnstyledButton>
      <ul className={classes.list}>
        {SCREENS.map((screen) => (
          <li key={screen.path}>
            <ScreenLink screen={screen} current={current} waiting={waiting} hint />
          </li>
        ))}
      </ul>
      <div className={classes.foot}>
        <span className={classes.status} data-online={online || undefined}>
          <span className={classes.lamp} aria-hidden="true" />
          <span>{online ? 'Connected' : 'Not connected'}</span>
          {info !== undefined && <span className={classes.version}>{info.version}</span>}
        </span>
        <Tooltip label="Keyboard shortcuts (?)">
          <ActionIcon variant="subtle" color="gray" onClick={onHelp} aria-label="Keyboard shortcuts">
            <KeyboardIcon />
          </ActionIcon>
        </Tooltip>
        <SchemeButton />
      </div>
    </nav>
  )
}

export function TopBar() {
  return (
    // Dialogs bring a header of their own, and a page has one banner.
    <section aria-label="Top bar" className={classes.top}>
      <a className={classes.brand} href="#/servers" aria-label="Portico, to the servers">
        <Logo />
        <span>Portico</span>
      </a>
      <span className={classes.gap} />
      <ActionIcon variant="subtle" color="gray" size="lg" onClick={spotlight.open} aria-label="Find anything">
        <MagnifyingGlassIcon width={18} height={18} />
      </ActionIcon>
      <SchemeButton size="lg" />
    </section>
  )
}

/** Under the thumb: the screens that are wanted most, and a drawer with the others. */
const THUMB = ['/servers', '/tools', '/chat', '/inbox']

export function BottomBar({ current, waiting, onHelp }: NavigationProps) {
  const [opened, { open, close }] = useDisclosure(false)
  const first = SCREENS.filter(({ path }) => THUMB.includes(path))
  const others = SCREENS.filter(({ path }) => !THUMB.includes(path))
  return (
    <nav className={classes.bottom} aria-label="Screens">
      {first.map((screen) => (
        <ScreenLink key={screen.path} screen={screen} current={current} waiting={waiting} />
      ))}
      <UnstyledButton
        className={classes.link}
        onClick={open}
        aria-expanded={opened}
        data-current={others.some(({ path }) => path === current) || undefined}
      >
        <DotsHorizontalIcon width={18} height={18} aria-hidden="true" />
        <span>More</span>
      </UnstyledButton>
      <Drawer
        opened={opened}
        onClose={close}
        position="bottom"
        size="auto"
        title="More screens"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ul className={classes.list}>
          {others.map((screen) => (
            <li key={screen.path}>
              <ScreenLink screen={screen} current={current} waiting={waiting} onGo={close} row />
            </li>
          ))}
          <li>
            <UnstyledButton
              className={classes.row}
              onClick={() => {
                close()
                onHelp()
              }}
            >
              <KeyboardIcon width={16} height={16} aria-hidden="true" />
              <span>Keyboard shortcuts</span>
            </UnstyledButton>
          </li>
        </ul>
      </Drawer>
    </nav>
  )
}

interface ScreenLinkProps {
  readonly screen: Screen
  readonly current: string
  readonly waiting: number
  readonly hint?: boolean
  /** Icon beside the word, in the drawer. */
  readonly row?: boolean
  readonly onGo?: () => void
}

function ScreenLink({ screen: { path, title, key, icon: Icon }, current, waiting, hint, row, onGo }: ScreenLinkProps) {
  const count = path === '/inbox' ? waiting : 0
  return (
    <a
      className={row ? classes.row : classes.link}
      href={`#${path}`}
      aria-current={path === current ? 'page' : undefined}
      onClick={onGo}
    >
      <span className={classes.icon} aria-hidden="true">
        <Icon width={row || hint ? 16 : 18} height={row || hint ? 16 : 18} />
      </span>
      <span>{title}</span>
      {count > 0 && (
        <span className={classes.badge}>
          {count > 99 ? '99+' : count}
          <span className={classes.unseen}> waiting</span>
        </span>
      )}
      {hint && count === 0 && (
        <span className={classes.hint} aria-hidden="true">
          g {key}
        </span>
      )}
    </a>
  )
}

function SchemeButton({ size }: { readonly size?: string }) {
  const { setColorScheme } = useMantineColorScheme()
  const computed = useComputedColorScheme('light')
  const other = computed === 'dark' ? 'light' : 'dark'
  return (
    <Tooltip label={`Use the ${other} theme`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={size}
        onClick={() => setColorScheme(other)}
        aria-label={`Use the ${other} theme`}
      >
        {other === 'dark' ? <MoonIcon /> : <SunIcon />}
      </ActionIcon>
    </Tooltip>
  )
}

function Logo() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-ink-6)" />
      <path d="M6 12 16 6l10 6v2H6zM9 16h3v8H9zm5.5 0h3v8h-3zM20 16h3v8h-3zM6 25h20v2H6z" fill="#fff" />
    </svg>
  )
}
