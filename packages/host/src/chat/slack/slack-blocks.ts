/** Messages and forms of the engine in Slack's form. All text goes through `slack-text.ts`. */

import type { JsonObject } from '@portico/sdk/client'
import type { ChatField, ChatForm, ChatMessage } from '../engine/adapter.ts'
import { toFallback, toPlainText, toRichText } from './slack-text.ts'

/** What `chat.postMessage`, `chat.update` and `chat.postEphemeral` have in common. */
export function toPost({ pieces, buttons = [] }: ChatMessage): JsonObject {
  const actions = buttons.map(({ id, label, look }, at) => ({
    type: 'button',
    action_id: `portico-${at}`,
    value: id,
    text: toPlainText(label, 75),
    ...(look !== undefined && { style: look === 'good' ? 'primary' : 'danger' }),
  }))
  const blocks = [toRichText(pieces), ...(actions.length === 0 ? [] : [{ type: 'actions', elements: actions }])]
  // The blocks are JSON as they stand; their types have members that may be left out.
  return {
    text: toFallback(pieces),
    blocks: blocks as unknown as JsonObject[],
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  }
}

export function toView({ id, title, note, fields }: ChatForm): JsonObject {
  const head = note.length === 0 ? [] : [toRichText(note)]
  const view = {
    type: 'modal',
    callback_id: 'portico',
    private_metadata: id,
    title: toPlainText(title, 24),
    submit: toPlainText('Send', 24),
    close: toPlainText('Cancel', 24),
    blocks: [...head, ...fields.map(toInput)],
  }
  return view as unknown as JsonObject
}

function toInput(field: ChatField, at: number): object {
  return {
    type: 'input',
    block_id: `f${at}`,
    optional: !field.required,
    label: toPlainText(field.label, 2000),
    ...(field.hint !== undefined && { hint: toPlainText(field.hint, 2000) }),
    element: toElement(field),
  }
}

/** Choices are sent as their places in the list, since Slack takes short values only. */
function toElement({ kind, options = [], initial }: ChatField): object {
  if (kind === 'text' || kind === 'number') {
    const given = initial === undefined ? {} : { initial_value: toPlainText(initial, 3000).text }
    return { type: 'plain_text_input', action_id: 'v', max_length: 3000, ...given }
  }
  const choices = options.map(({ label }, at) => ({ text: toPlainText(label, 75), value: String(at) }))
  const chosen = choices[options.findIndex(({ value }) => value === initial)]
  if (kind === 'choices') return { type: 'multi_static_select', action_id: 'v', options: choices }
  return {
    type: 'static_select',
    action_id: 'v',
    options: choices,
    ...(chosen !== undefined && { initial_option: chosen }),
  }
}
