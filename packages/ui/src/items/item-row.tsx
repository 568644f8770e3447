/** One line of the list of items: its name, whose it is, what it is for, and what to beware of. */

import { EyeOpenIcon, LockClosedIcon } from '@radix-ui/react-icons'
import { memo } from 'react'
import { toSize, toVisible } from '../app/text/text.ts'
import { Chip } from '../app/tone.tsx'
import { cutText } from '../parts/text-safety.ts'
import classes from './item-row.module.css'
import type { Item, Watch } from './item-store.ts'

export const ITEM_HEIGHT = 66

interface ItemRowProps {
  readonly item: Item
  readonly watch: Watch | undefined
}

export const ItemRow = memo(function ItemRow({ item, watch }: ItemRowProps) {
  const { server, definition, quarantine, findings } = item
  return (
    <div className={classes.row}>
      <div className={classes.top}>
        <span className={classes.name}>{toVisible(cutText(titleOf(item), 120).text)}</span>
        <span className={classes.marks}>
          {quarantine !== undefined && (
            <Chip tone="warn" icon={LockClosedIcon}>
              Changed
            </Chip>
          )}
          {findings.some(({ what }) => what !== 'mixed-scripts') && <Chip tone="warn">Hidden text</Chip>}
          {findings.some(({ what }) => what === 'mixed-scripts') && <Chip tone="warn">Odd letters</Chip>}
          {watch !== undefined && (
            <Chip tone={watch.changes > 0 ? 'busy' : 'calm'} icon={EyeOpenIcon}>
              {watch.changes > 0 ? `${watch.changes} new` : 'Watched'}
            </Chip>
          )}
        </span>
      </div>
      <div className={classes.bottom}>
        <span className={classes.server}>{toVisible(server)}</span>
        <span className={classes.words}>
          {item.definition.title !== undefined && (item.kind === 'tool' || item.kind === 'prompt') && (
            <code>{toVisible(cutText(item.ownName, 80).text)} </code>
          )}
          {toVisible(cutText(definition.description ?? addressOf(item) ?? '', 200).text)}
          {item.kind === 'resource' && item.definition.size !== undefined && ` · ${toSize(item.definition.size)}`}
        </span>
      </div>
    </div>
  )
})

export function titleOf(item: Item): string {
  if (item.kind === 'tool' || item.kind === 'prompt') return item.definition.title ?? item.ownName
  return item.definition.title ?? item.definition.name
}

export function addressOf(item: Item): string | undefined {
  if (item.kind === 'resource') return item.definition.uri
  return item.kind === 'template' ? item.definition.uriTemplate : undefined
}
