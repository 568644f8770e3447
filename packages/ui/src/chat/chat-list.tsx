/** All conversations, newest first. They are kept on this machine alone. */

import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { PlusIcon, TrashIcon } from '@radix-ui/react-icons'
import type { ChatSummary } from 'portico/web-api'
import { useState } from 'react'
import { Confirm } from '../app/confirm.tsx'
import { deleteChat, loadChats, useChats } from '../app/data/chat-store.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toAgo, toVisible } from '../app/text/text.ts'
import { Chip } from '../app/tone.tsx'
import classes from './chat-list.module.css'
import { ProjectPicker } from './project-picker.tsx'

interface ChatListProps {
  readonly current: string | undefined
  /** As in the address; goes along to the conversation that is chosen. */
  readonly attach: string | undefined
  readonly onNew: () => void
  /** Of the next new conversation. */
  readonly project: string | undefined
  readonly onProject: (name: string | undefined) => void
  readonly onGone: (id: string) => void
}

export function ChatList({ current, attach, onNew, project, onProject, onGone }: ChatListProps) {
  const { list, listError } = useChats()
  const [doomed, setDoomed] = useState<ChatSummary>()
  return (
    <>
      <div className={classes.head}>
        <Button fullWidth variant="light" leftSection={<PlusIcon />} onClick={onNew}>
          New conversation
        </Button>
        <ProjectPicker project={project} onProject={onProject} />
      </div>
      <div className={classes.list}>
        {listError !== undefined && <FailureNote error={listError} onRetry={() => void loadChats()} />}
        {list === undefined && listError === undefined && <Waiting rows={5} height={44} />}
        {list?.length === 0 && (
          <Text c="dimmed" size="sm" ta="center" py="xl">
            Conversations are kept here, on this machine.
          </Text>
        )}
        <ul className={classes.chats}>
          {list?.map((chat) => (
            <ChatRow
              key={chat.id}
              chat={chat}
              isCurrent={chat.id === current}
              attach={attach}
              onDelete={() => setDoomed(chat)}
            />
          ))}
        </ul>
      </div>
      <Confirm
        opened={doomed !== undefined}
        title="Delete this conversation?"
        deed="Delete"
        onClose={() => setDoomed(undefined)}
        onConfirm={() => {
          if (doomed !== undefined) void deleteChat(doomed.id).then((isGone) => isGone && onGone(doomed.id))
          setDoomed(undefined)
        }}
      >
        {titleOf(doomed)} is deleted from this machine. What was done stays in the audit log.
      </Confirm>
    </>
  )
}

interface ChatRowProps {
  readonly chat: ChatSummary
  readonly isCurrent: boolean
  readonly attach: string | undefined
  readonly onDelete: () => void
}

function ChatRow({ chat, isCurrent, attach, onDelete }: ChatRowProps) {
  return (
    <li className={classes.chat} data-current={isCurrent || undefined}>
      <a
        className={classes.link}
        href={`#/chat?${new URLSearchParams({ id: chat.id, ...(attach !== undefined && { attach }) }).toString()}`}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span className={classes.title}>{titleOf(chat)}</span>
        <span className={classes.sub}>
          {chat.tour && (
            <Chip tone="busy" icon={false}>
              Tour
            </Chip>
          )}
          {toAgo(chat.at)}
          {chat.project !== undefined && ` · ${toVisible(chat.project)}`}
          {chat.model !== undefined && ` · ${toVisible(chat.model)}`}
        </span>
      </a>
      <Tooltip label="Delete">
        <ActionIcon
          className={classes.delete}
          variant="subtle"
          color="gray"
          aria-label={`Delete ${titleOf(chat)}`}
          onClick={onDelete}
        >
          <TrashIcon />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}

/** One that nothing was said in yet has no title. */
function titleOf(chat: Pick<ChatSummary, 'title'> | undefined): string {
  return toVisible(chat?.title ?? '') || 'New conversation'
}
