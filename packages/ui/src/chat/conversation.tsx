/** One conversation: who answers, what it has cost, what was said, and the next message. */

import { Text } from '@mantine/core'
import type { Attachment, Chat, ModelChoice } from 'portico/web-api'
import { useState } from 'react'
import { openChat } from '../app/data/chat-store.ts'
import { useAction } from '../app/data/use-api.ts'
import { toVisible } from '../app/text/text.ts'
import { Chip } from '../app/tone.tsx'
import { Composer } from './composer.tsx'
import classes from './conversation.module.css'
import { ModelPicker } from './model-picker.tsx'
import { Transcript } from './transcript.tsx'
import { UsageMeter } from './usage-meter.tsx'

interface ConversationProps {
  readonly chat: Chat
  readonly models: readonly ModelChoice[]
  /** From another screen, for the first message. */
  readonly attached: readonly Attachment[]
  readonly onAddModel: () => void
  readonly onLookForModels: () => void
  readonly onSent: () => void
}

export function Conversation({ chat, models, attached, onSent, ...toModels }: ConversationProps) {
  const [attachments, setAttachments] = useState(attached)
  const [picked, setPicked] = useState<string>()
  const send = useAction('chat.send')
  const cancel = useAction('chat.cancel')
  const pin = useAction('chat.pin')
  const model = picked ?? chat.model ?? models.find(({ usable }) => usable)?.id
  const isUsable = chat.tour || models.some(({ id, usable }) => id === model && usable)
  const sendText = async (text: string): Promise<boolean> => {
    const withAttachments = attachments.length > 0 && { attachments }
    const withModel = !chat.tour && model !== undefined && { model }
    if ((await send.run({ id: chat.id, text, ...withAttachments, ...withModel })) === undefined) return false
    setAttachments([])
    onSent()
    return true
  }
  return (
    <div className={classes.conversation}>
      <header className={classes.head}>
        <div className={classes.title}>
          <Text component="h2" className={classes.name}>
            {toVisible(chat.title) || 'New conversation'}
          </Text>
          {chat.tour && <Chip tone="busy">Scripted tour</Chip>}
          {chat.project !== undefined && <Chip tone="calm">Project {toVisible(chat.project)}</Chip>}
        </div>
        <UsageMeter chat={chat} />
        {!chat.tour && (
          <ModelPicker
            models={models}
            value={model}
            onChange={setPicked}
            onAdd={toModels.onAddModel}
            onLook={toModels.onLookForModels}
          />
        )}
      </header>
      <Transcript chat={chat} />
      <Composer
        busy={chat.busy}
        blocked={isUsable ? undefined : 'Choose a model that can be used.'}
        placeholder={placeholderOf(chat)}
        project={chat.project}
        attachments={attachments}
        onAttachments={setAttachments}
        pins={chat.pins}
        onPin={
          chat.tour
            ? undefined
            : async (one, on) => {
                if ((await pin.run({ id: chat.id, pin: one, on })) !== undefined) void openChat(chat.id)
              }
        }
        onCancel={() => void cancel.run({ id: chat.id })}
        onSend={sendText}
      />
    </div>
  )
}

function placeholderOf({ tour, busy }: Chat): string {
  if (!tour) return 'Ask for something'
  return busy ? 'The tour plays by itself; you answer what it asks' : 'The tour is over: begin a new conversation'
}
