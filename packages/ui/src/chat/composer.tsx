/** Where the next message is written: Enter sends, Shift Enter begins a line, Escape stops the answer. */

import { ActionIcon, CloseButton, Textarea, Tooltip } from '@mantine/core'
import { DrawingPinFilledIcon, Link1Icon, PaperPlaneIcon, StopIcon } from '@radix-ui/react-icons'
import type { Attachment, Pin } from 'portico/web-api'
import { type KeyboardEvent, useState } from 'react'
import { toVisible } from '../app/text/text.ts'
import type { ItemOf } from '../items/item-store.ts'
import { AttachDialog } from './attach-dialog.tsx'
import classes from './composer.module.css'
import { PromptMenu } from './prompt-menu.tsx'
import { slashWordOf } from './slash-words.ts'

interface ComposerProps {
  readonly busy: boolean
  /** Why nothing can be sent now. */
  readonly blocked?: string | undefined
  readonly placeholder: string
  readonly attachments: readonly Attachment[]
  /** Whose servers may be attached from; all unless given. */
  readonly project: string | undefined
  readonly onAttachments: (attachments: readonly Attachment[]) => void
  /** What goes along with every message. */
  readonly pins: readonly Pin[]
  /** Undefined where nothing can be pinned. */
  readonly onPin: ((pin: Pin, on: boolean) => void) | undefined
  /** True once it is on its way; the text stays otherwise. */
  readonly onSend: (text: string) => Promise<boolean>
  readonly onCancel: () => void
}

export function Composer(props: ComposerProps) {
  const { busy, blocked, placeholder, project, attachments, onAttachments, pins, onPin, onSend, onCancel } = props
  const [text, setText] = useState('')
  const [isSending, setSending] = useState(false)
  const [isAttaching, setAttaching] = useState(false)
  const [prompt, setPrompt] = useState<ItemOf<'prompt'>>()
  const slashWord = slashWordOf(text)
  const canSend = !busy && !isSending && blocked === undefined && (text.trim() !== '' || attachments.length > 0)
  const send = async () => {
    if (!canSend) return
    setSending(true)
    if (await onSend(text.trim())) setText('')
    setSending(false)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && busy) onCancel()
    // Enter that ends the choice of a character is not the end of the message.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  return (
    <div className={classes.outer}>
      <div className={classes.composer}>
        {pins.length > 0 && <Pins pins={pins} onPin={onPin} />}
        {attachments.length > 0 && <Attached attachments={attachments} onAttachments={onAttachments} />}
        {slashWord !== undefined && (
          <PromptMenu
            typed={slashWord}
            project={project}
            onChoose={(item) => {
              setText('')
              setPrompt(item)
              setAttaching(true)
            }}
          />
        )}
        <div className={classes.row}>
          <AttachButton onClick={() => setAttaching(true)} />
          <MessageField text={text} placeholder={placeholder} onChange={setText} onKeyDown={pressed} />
          <Deed busy={busy} onCancel={onCancel} canSend={canSend} isSending={isSending} onSend={() => void send()} />
        </div>
      </div>
      {blocked !== undefined && <p className={classes.blocked}>{blocked}</p>}
      <AttachDialog
        opened={isAttaching}
        project={project}
        prompt={prompt}
        onClose={() => {
          setAttaching(false)
          setPrompt(undefined)
        }}
        onPin={onPin === undefined ? undefined : (pin) => onPin(pin, true)}
        onAttach={(attachment) => onAttachments(withAttachment(attachments, attachment))}
      />
    </div>
  )
}

interface MessageFieldProps {
  readonly text: string
  readonly placeholder: string
  readonly onChange: (text: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function MessageField({ text, placeholder, onChange, onKeyDown }: MessageFieldProps) {
  return (
    <Textarea
      className={classes.field}
      classNames={{ input: classes.input }}
      variant="unstyled"
      aria-label="Message"
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={10}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  )
}

function withAttachment(all: readonly Attachment[], added: Attachment): readonly Attachment[] {
  const key = JSON.stringify(added)
  return all.some((other) => JSON.stringify(other) === key) ? all : [...all, added]
}

function AttachButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Tooltip label="Attach a resource or prompt">
      <ActionIcon variant="subtle" color="gray" size={36} aria-label="Attach a resource or prompt" onClick={onClick}>
        <Link1Icon width={18} height={18} />
      </ActionIcon>
    </Tooltip>
  )
}

interface DeedProps extends Pick<ComposerProps, 'busy' | 'onCancel'> {
  readonly canSend: boolean
  readonly isSending: boolean
  readonly onSend: () => void
}

/** Sends, or stops what is under way. */
function Deed({ busy, onCancel, canSend, isSending, onSend }: DeedProps) {
  if (busy) {
    return (
      <Tooltip label="Stop (Escape)">
        <ActionIcon variant="default" size={36} aria-label="Stop the answer" onClick={onCancel}>
          <StopIcon />
        </ActionIcon>
      </Tooltip>
    )
  }
  return (
    <ActionIcon variant="filled" size={36} aria-label="Send" disabled={!canSend} loading={isSending} onClick={onSend}>
      <PaperPlaneIcon />
    </ActionIcon>
  )
}

function Attached({ attachments, onAttachments }: Pick<ComposerProps, 'attachments' | 'onAttachments'>) {
  return (
    <ul className={classes.attachments} aria-label="Attached">
      {attachments.map((attachment) => (
        <li key={JSON.stringify(attachment)} className={classes.attachment}>
          <Link1Icon aria-hidden="true" />
          <span className={classes.name}>{toVisible(attachment.name)}</span>
          <span className={classes.server}>{toVisible(attachment.server)}</span>
          <CloseButton
            size="xs"
            aria-label={`Do not attach ${attachment.name}`}
            onClick={() => onAttachments(attachments.filter((other) => other !== attachment))}
          />
        </li>
      ))}
    </ul>
  )
}

function Pins({ pins, onPin }: Pick<ComposerProps, 'pins' | 'onPin'>) {
  return (
    <ul className={classes.attachments} aria-label="Pinned: sent with every message">
      {pins.map((pin) => (
        <li key={`${pin.server} ${pin.uri}`} className={classes.attachment} title="Sent with every message">
          <DrawingPinFilledIcon aria-hidden="true" />
          <span className={classes.name}>{toVisible(pin.uri)}</span>
          <span className={classes.server}>{toVisible(pin.server)}</span>
          <CloseButton size="xs" aria-label={`Unpin ${pin.uri}`} onClick={() => onPin?.(pin, false)} />
        </li>
      ))}
    </ul>
  )
}
