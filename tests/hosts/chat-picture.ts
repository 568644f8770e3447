/** A thread of the local service of Slack's shape, drawn: what its blocks say, and their buttons. Not a picture of Slack itself. */

import { buttonsIn, shownIn } from './chat-slack-blocks.ts'
import type { SlackMessage } from './chat-slack-service.ts'
import { Drawing, wrap } from './drawing.ts'

interface Said {
  readonly by: string
  readonly words: string
  readonly buttons: readonly string[]
  /** Only one person sees it. */
  readonly only: boolean
}

export const toSaid = (message: SlackMessage): Said => ({
  by: 'portico',
  words: shownIn(message).trim(),
  buttons: buttonsIn(message).map(({ label }) => label),
  only: message.only !== undefined,
})

export function drawThread(said: readonly Said[]): string {
  const drawing = new Drawing(760)
  let y = 20
  for (const { by, words, buttons, only } of said) {
    drawing.box([16, y], [32, 32], by === 'portico' ? '#2f6feb' : '#8957e5')
    drawing.text(27, y + 22, by.slice(0, 1).toUpperCase(), { bold: true, fill: '#ffffff' })
    drawing.text(60, y + 12, by, { bold: true })
    if (only) drawing.text(60 + by.length * 9 + 12, y + 12, 'Only visible to you', { size: 12, fill: '#9aa0ac' })
    y += 34
    for (const line of wrap(words, 84)) {
      drawing.text(60, y, line, { size: 13, mono: true })
      y += 18
    }
    if (buttons.length > 0) {
      drawing.buttons(60, y - 4, buttons)
      y += 36
    }
    y += 14
  }
  return drawing.toSvg(y)
}
