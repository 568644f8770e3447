/** What Slack takes as blocks, and what it makes of them: mentions, links, buttons. Whatever it would refuse is refused here. */

type Json = { readonly [name: string]: unknown }

const ELEMENTS = new Set(['text', 'user', 'link', 'broadcast', 'usergroup', 'channel', 'emoji', 'date'])

/** Why Slack would not take these blocks; undefined where it does. */
export function whyNotBlocks(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 100) return 'blocks'
  return blocks.map((block) => whyNotBlock(block as Json)).find((why) => why !== undefined)
}

function whyNotBlock(block: Json): string | undefined {
  if (block.type === 'rich_text') return whyNotRich(block)
  if (block.type === 'actions') return listOf(block.elements).map(whyNotButton).find(Boolean)
  if (block.type === 'input') return whyNotInput(block)
  return `block ${String(block.type)}`
}

function whyNotRich({ elements }: Json): string | undefined {
  const parts = listOf(elements)
  if (parts.length === 0) return 'empty rich_text'
  for (const part of parts) {
    if (!['rich_text_section', 'rich_text_preformatted'].includes(String(part.type))) return `part ${String(part.type)}`
    for (const element of listOf(part.elements)) {
      if (!ELEMENTS.has(String(element.type))) return `element ${String(element.type)}`
      if (element.type === 'text' && (typeof element.text !== 'string' || element.text === '')) return 'empty text'
    }
  }
  return undefined
}

function whyNotButton(button: Json): string | undefined {
  if (button.type !== 'button' || typeof button.value !== 'string' || button.value.length > 2000) return 'button'
  return whyNotPlain(button.text, 75)
}

function whyNotInput({ label, element }: Json): string | undefined {
  const { options } = element as Json
  const choices = listOf(options).map(
    ({ text, value }) => whyNotPlain(text, 75) ?? (String(value).length > 150 ? 'value' : undefined),
  )
  return whyNotPlain(label, 2000) ?? choices.find(Boolean)
}

function whyNotPlain(value: unknown, max: number): string | undefined {
  const { type, text } = (value ?? {}) as Json
  return type === 'plain_text' && typeof text === 'string' && text !== '' && text.length <= max
    ? undefined
    : 'plain_text'
}

/** What everybody reads in a message. */
export function shownIn({ blocks }: { readonly blocks: readonly Json[] }): string {
  return walk(blocks)
    .filter(({ type }) => ['text', 'user', 'link'].includes(String(type)))
    .map(({ text, url, user_id: user }) => String(text ?? url ?? `@${String(user)}`))
    .join('')
}

/** Everything in a message that is more than text. */
export function meaningsIn({ blocks, text }: { readonly blocks: readonly Json[]; readonly text: string }): string[] {
  const found = walk(blocks).flatMap((node) => {
    const { type } = node
    if (['user', 'broadcast', 'usergroup', 'channel', 'link', 'emoji'].includes(String(type))) {
      return [`${String(type)} ${String(node.user_id ?? node.url ?? '')}`]
    }
    return type === 'button' ? [`button ${String((node.text as Json).text)}`] : type === 'mrkdwn' ? ['mrkdwn'] : []
  })
  return [...found, ...(text.match(/<[^>]*>/g) ?? []).filter((one) => !/^<@U\w+>$/.test(one))]
}

export function buttonsIn({
  blocks,
}: {
  readonly blocks: readonly Json[]
}): { readonly label: string; readonly value: string }[] {
  return walk(blocks)
    .filter(({ type }) => type === 'button')
    .map(({ text, value }) => ({ label: String((text as Json).text), value: String(value) }))
}

function walk(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(walk)
  if (typeof value !== 'object' || value === null) return []
  return [value as Json, ...Object.values(value).flatMap(walk)]
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}
