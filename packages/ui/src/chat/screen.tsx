/** The chat: conversations at the left, the one that is open beside them. The address holds which. */

import { useDisclosure } from '@mantine/hooks'
import type { ApiResult, Attachment } from 'portico/web-api'
import { type ComponentProps, useMemo, useState } from 'react'
import { call } from '../app/data/api.ts'
import { createChat, openChat, useChat } from '../app/data/chat-store.ts'
import { useApiEvent } from '../app/data/events.ts'
import { startTour } from '../app/data/tour.ts'
import { type Loaded, useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { Page } from '../app/page.tsx'
import { go, useRoute } from '../app/route.ts'
import { toVisible } from '../app/text/text.ts'
import { isRecord, parseJson } from '../parts/json.ts'
import { ListDetail } from '../parts/list-detail.tsx'
import { AddModel } from './add-model.tsx'
import { ChatList } from './chat-list.tsx'
import { Conversation } from './conversation.tsx'
import classes from './screen.module.css'
import { Welcome } from './welcome.tsx'

export function ChatScreen() {
  const { query } = useRoute()
  const id = query.get('id') ?? undefined
  const attach = query.get('attach') ?? undefined
  const attached = useMemo(() => readAttachment(attach), [attach])
  const models = useApi('chat.models', {})
  // Told whenever the configuration was read again: models may have come and gone with it.
  useApiEvent('problems', models.reload)
  const [isAdding, adding] = useDisclosure(false)
  const [project, setProject] = useState<string>()
  const choices = models.data?.models ?? []
  const begin = async () => {
    const model = await firstUsable(models.data)
    const made = await createChat({ ...(model !== undefined && { model }), ...(project !== undefined && { project }) })
    if (made !== undefined) go('/chat', { id: made.id, attach })
  }
  const detail =
    id === undefined ? undefined : (
      <Opened
        id={id}
        models={choices}
        attached={attached}
        onAddModel={adding.open}
        onLookForModels={models.reload}
        onSent={() => attach !== undefined && go('/chat', { id })}
      />
    )
  const welcome = <Begin models={models} onNew={() => void begin()} onAddModel={adding.open} />
  return (
    <Page title="Chat" lead={id === undefined ? leadOf(attached) : undefined} fill>
      <div className={classes.frame} data-open={id !== undefined || undefined}>
        <ListDetail
          listLabel="Conversations"
          detailLabel="Conversation"
          backLabel="All conversations"
          onBack={() => go('/chat')}
          list={
            <>
              <ChatList
                current={id}
                // Once it has found its conversation, the others are without it.
                attach={id === undefined ? attach : undefined}
                onNew={() => void begin()}
                project={project}
                onProject={setProject}
                onGone={(gone) => {
                  if (gone === id) go('/chat')
                }}
              />
              {id === undefined && <div className={classes.narrowWelcome}>{welcome}</div>}
            </>
          }
          detail={detail}
          empty={models.loading && models.data === undefined ? <Waiting /> : welcome}
        />
      </div>
      <AddModel opened={isAdding} onClose={adding.close} onAdded={models.reload} />
    </Page>
  )
}

/** Whoever is quicker than the list of models waits for it. */
async function firstUsable(data: ApiResult<'chat.models'> | undefined): Promise<string | undefined> {
  const { models } = data ?? (await call('chat.models', {}).catch(() => ({ models: [] })))
  return models.find(({ usable }) => usable)?.id
}

interface BeginProps {
  readonly models: Loaded<ApiResult<'chat.models'>>
  readonly onNew: () => void
  readonly onAddModel: () => void
}

function Begin({ models: { data, error, reload }, onNew, onAddModel }: BeginProps) {
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  return (
    <Welcome
      models={data?.models ?? []}
      hint={data?.hint ?? ''}
      onNew={onNew}
      onAddModel={onAddModel}
      onTour={() => void startTour()}
    />
  )
}

interface OpenedProps extends Omit<ComponentProps<typeof Conversation>, 'chat'> {
  readonly id: string
}

function Opened({ id, ...props }: OpenedProps) {
  const { chat, error } = useChat(id)
  if (chat !== undefined && error === undefined) return <Conversation key={chat.id} chat={chat} {...props} />
  return (
    <div className={classes.pad}>
      {error === undefined ? <Waiting /> : <FailureNote error={error} onRetry={() => void openChat(id)} />}
    </div>
  )
}

function leadOf([attachment]: readonly Attachment[]): string {
  if (attachment === undefined) return 'A model with the tools of your servers; you decide what it may do.'
  return `${toVisible(attachment.name)} goes along with your next message: begin a conversation, or choose one.`
}

/** From the address, where anybody could have put anything. */
function readAttachment(text: string | undefined): readonly Attachment[] {
  const parsed = text === undefined ? undefined : parseJson(text)
  if (parsed?.ok !== true || !isRecord(parsed.value)) return []
  const { kind, server, name, arguments: args } = parsed.value
  if ((kind !== 'resource' && kind !== 'prompt') || typeof server !== 'string' || typeof name !== 'string') return []
  const given = isRecord(args)
    ? Object.entries(args).filter((one): one is [string, string] => typeof one[1] === 'string')
    : []
  return [{ kind, server, name, ...(given.length > 0 && { arguments: Object.fromEntries(given) }) }]
}
