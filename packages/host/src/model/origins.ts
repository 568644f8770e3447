/**
 * Whose words a kept conversation holds, read off the conversation itself: what came from a server is labelled with it
 * (`guard/foreign-text.ts`), and prompts that the user chose and saw are listed beside the messages. Whoever takes a
 * conversation up again knows as much as whoever left it.
 */

import type { ModelMessage } from 'ai'
import { labelsIn } from '../guard/foreign-text.ts'
import type { Provenance } from '../guard/provenance.ts'

/** A message whose words are a server's, chosen and seen by the user. */
export interface ChosenMessage {
  /** Its place among the messages. */
  readonly at: number
  readonly server: string
}

export interface KeptWords {
  readonly messages: readonly ModelMessage[]
  readonly chosen?: readonly ChosenMessage[]
}

/** Notes everything that is in the messages as what it was when they were written. */
export function recall(
  { messages, chosen = [] }: KeptWords,
  context: Provenance,
  isTrusted: (server: string) => boolean,
): void {
  const chosenAt = new Map(chosen.map(({ at, server }) => [at, server]))
  for (const [at, message] of messages.entries()) {
    const server = chosenAt.get(at)
    if (server !== undefined) context.note(server, message.content, { trusted: isTrusted(server) })
    let labels: readonly string[] = []
    for (const part of typeof message.content === 'string' ? [message.content] : message.content) {
      const found = labelsIn(textOf(part))
      if (found.length > 0) labels = found
      const isWords = typeof part === 'string' || part.type === 'text'
      if (message.role === 'user' && isWords && found.length === 0 && server === undefined)
        context.noteUser(textOf(part))
      // A picture belongs to the label before it.
      if (message.role === 'assistant' || (found.length === 0 && isWords)) continue
      for (const label of labels) context.note(label, part, { trusted: isTrusted(label) })
    }
  }
}

function textOf(part: string | { readonly type: string }): string {
  if (typeof part === 'string') return part
  if (part.type === 'text') return (part as { readonly text?: string }).text ?? ''
  const { output } = part as { readonly output?: { readonly value?: unknown } }
  if (typeof output?.value === 'string') return output.value
  if (!Array.isArray(output?.value)) return ''
  return output.value
    .map((one: { readonly text?: unknown }) => (typeof one.text === 'string' ? one.text : ''))
    .join('\n')
}
