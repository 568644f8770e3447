/** States as the page shows them everywhere: a colour, an icon and a word, as a chip or as a note in a box. */

import {
  CheckCircledIcon,
  CircleIcon,
  CrossCircledIcon,
  ExclamationTriangleIcon,
  UpdateIcon,
} from '@radix-ui/react-icons'
import type { ComponentType, ReactNode } from 'react'
import type { ToneName } from '../theme.ts'
import classes from './tone.module.css'

type Icon = ComponentType<{ width?: number; height?: number }>

const ICONS: { readonly [tone in ToneName]: Icon } = {
  good: CheckCircledIcon,
  busy: UpdateIcon,
  warn: ExclamationTriangleIcon,
  bad: CrossCircledIcon,
  calm: CircleIcon,
}

interface ChipProps {
  readonly tone: ToneName
  readonly children: ReactNode
  readonly icon?: Icon | false
}

export function Chip({ tone, children, icon }: ChipProps) {
  const Mark = icon ?? ICONS[tone]
  return (
    <span className={classes.chip} data-tone={tone}>
      {Mark !== false && (
        <span className={classes.mark} aria-hidden="true">
          <Mark width={13} height={13} />
        </span>
      )}
      {children}
    </span>
  )
}

interface NoteProps {
  readonly tone: ToneName
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  /** Read out when it appears: `alert` at once, `status` when there is a pause. */
  readonly role?: 'alert' | 'status'
}

export function Note({ tone, title, children, actions, role }: NoteProps) {
  const Mark = ICONS[tone]
  return (
    <div className={classes.note} data-tone={tone} role={role}>
      <span className={classes.mark} aria-hidden="true">
        <Mark width={16} height={16} />
      </span>
      <div className={classes.words}>
        {title !== undefined && <div className={classes.title}>{title}</div>}
        {children !== undefined && <div className={classes.text}>{children}</div>}
      </div>
      {actions !== undefined && actions !== false && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}
