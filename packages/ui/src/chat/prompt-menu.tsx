/** The prompts whose names begin with what was typed after a slash. */

import { UnstyledButton } from '@mantine/core'
import { useApi } from '../app/data/use-api.ts'
import { toVisible } from '../app/text/text.ts'
import { titleOf } from '../items/item-row.tsx'
import type { ItemOf } from '../items/item-store.ts'
import classes from './attach-dialog.module.css'
import { promptsFor } from './slash-words.ts'

const MAX_SHOWN = 8

interface PromptMenuProps {
  readonly typed: string
  /** Only of the servers of this project. */
  readonly project: string | undefined
  readonly onChoose: (item: ItemOf<'prompt'>) => void
}

export function PromptMenu({ typed, project, onChoose }: PromptMenuProps) {
  const { data } = useApi('items.list', { kind: 'prompt', ...(project !== undefined && { project }) })
  const prompts = (data?.items ?? []).filter((item): item is ItemOf<'prompt'> => item.kind === 'prompt')
  const found = promptsFor(
    typed,
    prompts.filter(({ quarantine }) => quarantine === undefined),
  )
  if (found.length === 0) return null
  return (
    <ul className={classes.list} aria-label="Prompts">
      {found.slice(0, MAX_SHOWN).map((item) => (
        <li key={`${item.server} ${item.name}`}>
          <UnstyledButton className={classes.item} onClick={() => onChoose(item)}>
            <span className={classes.name}>/{toVisible(item.name)}</span>
            <span className={classes.sub}>
              {toVisible(item.server)} · {toVisible(item.definition.description ?? titleOf(item))}
            </span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  )
}
