/** Calls that servers work on by themselves: what runs, what waits for somebody, and what is done. */

import { StopwatchIcon } from '@radix-ui/react-icons'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { Page } from '../app/page.tsx'
import { go, useRoute } from '../app/route.ts'
import { toCount } from '../app/text/text.ts'
import { ListDetail } from '../parts/list-detail.tsx'
import { TaskDetail } from './task-detail.tsx'
import { TaskList } from './task-list.tsx'
import { isRunning } from './task-words.ts'
import { useTasks } from './use-tasks.ts'

export function TasksScreen() {
  const { tasks, error, reload } = useTasks()
  const { query } = useRoute()
  const chosen = tasks?.find(({ label }) => label === query.get('id'))
  const running = tasks?.filter(isRunning).length ?? 0
  return (
    <Page
      title="Tasks"
      fill
      lead={
        <span aria-live="polite">
          {running === 0 ? 'Calls that servers work on by themselves.' : `${toCount(running, 'task')} under way.`}
        </span>
      }
    >
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {tasks === undefined && error === undefined && <Waiting rows={3} />}
      {tasks?.length === 0 && (
        <Empty icon={<StopwatchIcon width={22} height={22} />} title="No tasks">
          When a server makes a task of a call, in a chat or by hand, it is here until its server forgets it: you can
          close this page, answer what it asks, cancel it, and fetch its result later.
        </Empty>
      )}
      {tasks !== undefined && tasks.length > 0 && (
        <ListDetail
          list={<TaskList tasks={tasks} chosen={chosen?.label} onChoose={(id) => go('/tasks', { id })} />}
          detail={chosen && <TaskDetail key={chosen.label} task={chosen} onGone={() => go('/tasks')} />}
          empty="Choose a task to see more of it."
          listLabel="Tasks"
          detailLabel="Task"
          backLabel="All tasks"
          onBack={() => go('/tasks')}
        />
      )}
    </Page>
  )
}
