/** JSON as a tree that opens on demand: only what is open is drawn, and long lists are shown a part at a time. */

import { UnstyledButton } from '@mantine/core'
import { ChevronDownIcon, ChevronRightIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { toCount, toSize, toVisible } from '../app/text/text.ts'
import classes from './json-view.module.css'
import { ScrollBox } from './scroll-box.tsx'
import { cutText } from './text-safety.ts'

interface JsonViewProps {
  readonly value: unknown
  readonly label?: string
  /** How many levels are open at first. */
  readonly open?: number
}

const STEP = 100
const MAX_TEXT = 1_000

export function JsonView({ value, label = 'JSON', open = 2 }: JsonViewProps) {
  return (
    <ScrollBox className={classes.tree} label={label}>
      <Node value={value} open={open} />
    </ScrollBox>
  )
}

interface NodeProps {
  readonly name?: string
  readonly value: unknown
  readonly open: number
}

function Node({ name, value, open }: NodeProps) {
  const [isOpen, setOpen] = useState(open > 0)
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={classes.line}>
        <Name name={name} />
        <Leaf value={value} />
      </div>
    )
  }
  const isList = Array.isArray(value)
  const count = isList ? value.length : Object.keys(value).length
  const [before, after] = isList ? ['[', ']'] : ['{', '}']
  if (count === 0) {
    return (
      <div className={classes.line}>
        <Name name={name} />
        {before}
        {after}
      </div>
    )
  }
  return (
    <div className={classes.branch}>
      <UnstyledButton className={classes.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? <ChevronDownIcon aria-hidden="true" /> : <ChevronRightIcon aria-hidden="true" />}
        <Name name={name} />
        {isOpen ? before : `${before} ${isList ? toCount(count, 'item') : toCount(count, 'member')} ${after}`}
      </UnstyledButton>
      {isOpen && (
        <>
          <Children value={value} open={open - 1} />
          <div className={classes.line}>{after}</div>
        </>
      )}
    </div>
  )
}

function Children({ value, open }: { readonly value: object; readonly open: number }) {
  const [shown, setShown] = useState(STEP)
  const isList = Array.isArray(value)
  const entries = isList ? value.slice(0, shown).map((one, index) => [String(index), one]) : Object.entries(value)
  const total = isList ? value.length : entries.length
  return (
    <div className={classes.children}>
      {entries.slice(0, shown).map(([name, one]) => (
        <Node key={name} name={name} value={one} open={open} />
      ))}
      {total > shown && (
        <UnstyledButton className={classes.more} onClick={() => setShown(shown + STEP * 5)}>
          {`Show more (${(total - shown).toLocaleString()} left)`}
        </UnstyledButton>
      )}
    </div>
  )
}

function Name({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null
  return (
    <>
      <span className={classes.name}>{toVisible(cutText(name, 200).text)}</span>
      <span aria-hidden="true">: </span>
    </>
  )
}

function Leaf({ value }: { readonly value: unknown }) {
  const [all, setAll] = useState(false)
  if (typeof value !== 'string') return <span className={classes.scalar}>{String(value)}</span>
  const { text, isCut } = cutText(value, all ? Number.POSITIVE_INFINITY : MAX_TEXT)
  return (
    <span className={classes.string}>
      “{toVisible(text)}”
      {isCut && (
        <UnstyledButton className={classes.more} onClick={() => setAll(true)}>
          … show all ({toSize(value.length)})
        </UnstyledButton>
      )}
    </span>
  )
}
