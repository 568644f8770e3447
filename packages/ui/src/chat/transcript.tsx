/** The conversation so far, in order: words, calls and notices. Stays at the end while it is there. */

import { PaperPlaneIcon } from '@radix-ui/react-icons'
import type { Chat, ChatPart } from 'portico/web-api'
import { memo, useEffect, useRef } from 'react'
import { toSize, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { SafeMarkdown } from '../parts/markdown.tsx'
import { TextBlock } from '../parts/text-block.tsx'
import { ToolCard } from './tool-card.tsx'
import classes from './transcript.module.css'

export function Transcript({ chat }: { readonly chat: Chat }) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const { parts, busy } = chat
  const column = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const follow = () => {
      if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight
    }
    // Whatever makes it longer: words, results that open, questions that come later.
    const observer = new ResizeObserver(follow)
    if (column.current !== null) observer.observe(column.current)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const isWriting = parts.at(-1)?.kind === 'assistant' && busy
  return (
    <div
      ref={box}
      className={classes.box}
      role="log"
      aria-label="Conversation"
      aria-busy={isWriting}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={(event) => {
        const { scrollHeight, scrollTop, clientHeight } = event.currentTarget
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 80
      }}
    >
      <div ref={column} className={classes.column}>
        {parts.map((part) => (
          <div key={part.id} className={classes.part}>
            <PartView part={part} isTour={chat.tour} />
          </div>
        ))}
        {busy && !isWriting && (
          <div className={classes.thinking} role="status">
            <span className={classes.dot} />
            <span className={classes.dot} />
            <span className={classes.dot} />
            <span className={classes.unseen}>Working</span>
          </div>
        )}
      </div>
    </div>
  )
}

/** Parts that did not change are not drawn again while another one streams. */
const PartView = memo(function PartView({ part, isTour }: { readonly part: ChatPart; readonly isTour: boolean }) {
  switch (part.kind) {
    case 'user':
      return (
        <div className={classes.user}>
          <span className={classes.unseen}>You: </span>
          <TextBlock text={part.text} bare label="Your message" />
          {part.attachments.length > 0 && (
            <div className={classes.attached}>
              {part.attachments.map(({ label, server, bytes }) => (
                <Chip key={`${server} ${label}`} tone="calm" icon={PaperPlaneIcon}>
                  {toVisible(label)} · {toVisible(server)} · {toSize(bytes)}
                </Chip>
              ))}
            </div>
          )}
        </div>
      )
    case 'assistant':
      return (
        <div className={classes.assistant} data-streaming={part.streaming || undefined}>
          <SafeMarkdown text={part.text} streaming={part.streaming} />
        </div>
      )
    case 'tool':
      // Whoever takes the tour came to see results.
      return <ToolCard part={part} startsOpen={isTour} />
    default:
      return (
        <Note
          tone={({ info: 'calm', warning: 'warn', error: 'bad' } as const)[part.level]}
          title={toVisible(part.text)}
          role={part.level === 'info' ? 'status' : 'alert'}
        >
          {part.remedy === undefined ? undefined : toVisible(part.remedy)}
        </Note>
      )
  }
})
