/** The tasks in a list: what runs where, how it stands, since when. */

import { UnstyledButton } from '@mantine/core'
import type { TaskRow } from 'portico/web-api'
import { Ago } from '../app/ago.tsx'
import { toVisible } from '../app/text/text.ts'
import { Chip } from '../app/tone.tsx'
import { cutText } from '../parts/text-safety.ts'
import { isRunning, lookOf } from './task-words.ts'
import classes from './tasks.module.css'

interface TaskListProps {
  readonly tasks: readonly TaskRow[]
  readonly chosen: string | undefined
  readonly onChoose: (label: string) => void
}

export function TaskList({ tasks, chosen, onChoose }: TaskListProps) {
  return (
    <ul className={classes.list}>
      {tasks.map((task) => (
        <li key={task.label}>
          <UnstyledButton
            className={classes.row}
            aria-current={task.label === chosen || undefined}
            onClick={() => onChoose(task.label)}
          >
            <span className={classes.name}>{toVisible(task.tool)}</span>
            <Chip tone={lookOf(task).tone}>{lookOf(task).word}</Chip>
            <span className={classes.about}>
              {toVisible(task.server)} · <Ago at={isRunning(task) ? task.startedAt : task.updatedAt} />
            </span>
            {task.message !== undefined && (
              <span className={classes.message}>{toVisible(cutText(task.message, 120).text)}</span>
            )}
          </UnstyledButton>
        </li>
      ))}
    </ul>
  )
}
