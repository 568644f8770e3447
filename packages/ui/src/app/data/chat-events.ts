/** How a conversation changes by what is told about it. Pure, so that it can be tested without a page. */

import type { Chat, ChatEvent, ChatPart } from 'portico/web-api'

export function applyChatEvent(chat: Chat, event: ChatEvent): Chat {
  switch (event.type) {
    case 'part':
      return { ...chat, parts: withPart(chat.parts, event.part) }
    case 'delta':
      return { ...chat, parts: withDelta(chat.parts, event.part, event.text) }
    case 'usage':
      return { ...chat, usage: event.usage }
    case 'busy':
      return { ...chat, busy: event.busy }
    case 'title':
      return { ...chat, title: event.title }
    default:
      return chat
  }
}

function withPart(parts: readonly ChatPart[], part: ChatPart): readonly ChatPart[] {
  // What changes is nearly always at the end.
  const place = parts.findLastIndex(({ id }) => id === part.id)
  return place === -1 ? [...parts, part] : parts.with(place, part)
}

function withDelta(parts: readonly ChatPart[], id: string, text: string): readonly ChatPart[] {
  const place = parts.findLastIndex((part) => part.id === id)
  const part = parts[place]
  if (part === undefined) return [...parts, { id, kind: 'assistant', text, streaming: true }]
  return part.kind === 'assistant' ? parts.with(place, { ...part, text: part.text + text }) : parts
}

/** How much of a budget is used, from 0 to 1, and of which; undefined where there is none. */
export function budgetUse({
  usage,
}: Pick<Chat, 'usage'>): { readonly part: number; readonly words: string } | undefined {
  const { budget, inputTokens, outputTokens, steps, cost } = usage
  const tokens = inputTokens + outputTokens
  const uses = [
    budget?.steps === undefined
      ? undefined
      : { part: steps / budget.steps, words: `${steps} of ${budget.steps} steps` },
    budget?.tokens === undefined
      ? undefined
      : { part: tokens / budget.tokens, words: `${toShort(tokens)} of ${toShort(budget.tokens)} tokens` },
    budget?.cost === undefined || cost === undefined
      ? undefined
      : { part: cost / budget.cost, words: `${toMoney(cost)} of ${toMoney(budget.cost)}` },
  ].filter((use) => use !== undefined)
  return uses.sort((a, b) => b.part - a.part)[0]
}

export function toShort(count: number): string {
  if (count < 1_000) return String(count)
  return count < 1_000_000 ? `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)} k` : `${(count / 1e6).toFixed(1)} M`
}

export function toMoney(dollars: number): string {
  return dollars > 0 && dollars < 0.01 ? '<$0.01' : `$${dollars.toFixed(2)}`
}
