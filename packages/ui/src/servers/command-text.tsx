/** A command line or address, always whole: it wraps, a very long one has pages, and nothing can hide at its end (sec-93). */

import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons'
import { toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { PagedText } from '../parts/paged-text.tsx'
import classes from './servers.module.css'

export function CommandText({ text, label = 'Command' }: { readonly text: string; readonly label?: string }) {
  return (
    <div className={classes.command}>
      <div className={classes.whole}>
        <PagedText text={text} label={label} />
      </div>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label="Copy the command">
              {copied ? <CheckIcon /> : <CopyIcon />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  )
}

/** What deserves a second look, before the thing it is about. */
export function WarningList({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <Note tone="warn" title={warnings.length === 1 ? 'Warning' : 'Warnings'}>
      <ul className={classes.plainList}>
        {warnings.map((words) => (
          <li key={words}>{toVisible(words)}</li>
        ))}
      </ul>
    </Note>
  )
}
