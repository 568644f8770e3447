import type { Attachment, Pin } from 'portico/web-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  click,
  expectInert,
  expectInside,
  fill,
  HOSTILE,
  pick,
  press,
  refusal,
  setStream,
  show,
  textbox,
  type,
  words,
} from '../../test/page.tsx'
import type { Item } from '../items/item-store.ts'
import { Composer } from './composer.tsx'

const common = { server: 'files', fingerprint: 'f', findings: [] }
const resource = (name: string, more: object = {}) =>
  ({
    ...common,
    kind: 'resource',
    name,
    ownName: `file:///${name}`,
    definition: { name, uri: `file:///${name}` },
    ...more,
  }) as unknown as Item
const prompt = (name: string, args: readonly object[] = []) =>
  ({
    ...common,
    kind: 'prompt',
    name,
    ownName: name,
    definition: { name, description: `Says ${name}`, arguments: args },
  }) as unknown as Item

let attached: readonly Attachment[] = []
const pinned: [Pin, boolean][] = []
const sent: string[] = []

interface Situation {
  readonly items?: readonly Item[]
  readonly pins?: readonly Pin[]
  readonly attachments?: readonly Attachment[]
}

/** The field of the next message, over a program whose servers offer these. */
function open({ items = [], pins = [], attachments = [] }: Situation = {}): void {
  answers({
    'items.list': ({ kind, query = '' }) => {
      const found = items.filter((item) => item.kind === kind && item.name.includes(query))
      return { items: found, total: found.length, missing: [] }
    },
    'prompts.get': ({ name }) =>
      ({
        result: { messages: [{ role: 'user', content: { type: 'text', text: `the words of ${name}` } }] },
        durationMs: 1,
      }) as never,
  })
  show(
    <Composer
      busy={false}
      placeholder="Ask"
      project={undefined}
      attachments={attachments}
      onAttachments={(next) => {
        attached = next
      }}
      pins={pins}
      onPin={(pin, on) => void pinned.push([pin, on])}
      onSend={async (text) => {
        sent.push(text)
        return true
      }}
      onCancel={() => {}}
    />,
  )
}

beforeEach(() => {
  attached = []
  pinned.length = 0
  sent.length = 0
  setStream('open')
})

describe('a resource', () => {
  it('is found and attached to the next message', async () => {
    open({ items: [resource('notes'), resource('other')] })
    await press('Attach a resource or prompt')
    await fill(page.getByRole('textbox', { name: 'Search', exact: true }), 'not')
    await expect.poll(() => askedOf('items.list').at(-1)).toEqual({ kind: 'resource', query: 'not' })
    await click(page.getByRole('button', { name: /^notes/ }))
    await expect.poll(() => attached).toEqual([{ kind: 'resource', server: 'files', name: 'notes' }])
  })

  it('is pinned to every message, by the name that its server has for it', async () => {
    open({ items: [resource('notes')] })
    await press('Attach a resource or prompt')
    await press('Pin notes')
    await expect.poll(() => pinned).toEqual([[{ server: 'files', uri: 'file:///notes' }, true]])
  })

  it('that changed since it was allowed is not offered', async () => {
    open({ items: [resource('changed', { quarantine: { since: 1, difference: [] } })] })
    await press('Attach a resource or prompt')
    await expect.element(page.getByText('No server offers a resource.')).toBeVisible()
  })

  it('lists that cannot be loaded say why', async () => {
    open()
    answers({
      'items.list': () => {
        throw refusal('No server answers', 'Start one.')
      },
    })
    await press('Attach a resource or prompt')
    await expect.element(page.getByText('No server answers')).toBeVisible()
  })
})

describe('a prompt', () => {
  const NEEDS = prompt('review', [{ name: 'file', required: true }, { name: 'tone' }])

  it('is filled in, read, and attached as it was read', async () => {
    open({ items: [NEEDS] })
    await press('Attach a resource or prompt')
    await pick('Prompts')
    await click(page.getByRole('button', { name: /^review/ }))
    const go = page.getByRole('button', { name: 'Show' })
    await expect.element(go).toBeDisabled()
    await fill(page.getByRole('combobox', { name: /^file/ }), 'a.ts')
    await click(go)
    await expect.element(page.getByText('the words of review')).toBeVisible()
    await press('Attach')
    await expect
      .poll(() => attached)
      .toMatchObject([{ kind: 'prompt', name: 'review', arguments: { file: 'a.ts' }, seen: [{ role: 'user' }] }])
  })

  it('what is changed after it was read has to be read again', async () => {
    open({ items: [NEEDS] })
    await press('Attach a resource or prompt')
    await pick('Prompts')
    await click(page.getByRole('button', { name: /^review/ }))
    await fill(page.getByRole('combobox', { name: /^file/ }), 'a.ts')
    await press('Show')
    await expect.element(page.getByText('the words of review')).toBeVisible()
    await fill(page.getByRole('combobox', { name: /^file/ }), 'b.ts')
    await expect.poll(words).not.toContain('the words of review')
    await expect.element(page.getByRole('button', { name: 'Show' })).toBeVisible()
  })

  it('is proposed after a slash, and chosen from there', async () => {
    open({ items: [NEEDS, prompt('rewrite'), prompt('other')] })
    await click(textbox('Message'))
    await type('/re')
    const menu = page.getByRole('list', { name: 'Prompts' })
    await expect.poll(() => menu.getByRole('button').elements().length).toBe(2)
    await click(menu.getByRole('button', { name: /rewrite/ }))
    await expect.element(page.getByRole('button', { name: 'Show' })).toBeVisible()
    await expect.element(textbox('Message')).toHaveValue('')
  })

  it('a slash in the middle of a sentence proposes nothing', async () => {
    open({ items: [NEEDS] })
    await fill(textbox('Message'), 'this and/or that /re')
    expect(page.getByRole('list', { name: 'Prompts' }).elements()).toHaveLength(0)
  })
})

describe('what goes along', () => {
  const notes: Attachment = { kind: 'resource', server: 'files', name: 'notes' }

  it('is shown, can be taken away, and is enough of a message by itself', async () => {
    open({ attachments: [notes, { ...notes, name: 'more' }] })
    await press('Do not attach notes')
    await expect.poll(() => attached).toEqual([{ ...notes, name: 'more' }])
    await press('Send')
    await expect.poll(() => sent).toEqual([''])
  })

  it('with every message can be unpinned', async () => {
    open({ pins: [{ server: 'files', uri: 'file:///a' }] })
    await expect.element(page.getByRole('list', { name: 'Pinned: sent with every message' })).toBeVisible()
    await press('Unpin file:///a')
    expect(pinned).toEqual([[{ server: 'files', uri: 'file:///a' }, false]])
  })

  it('twice is attached once', async () => {
    open({ items: [resource('notes')], attachments: [notes] })
    await press('Attach a resource or prompt')
    await click(page.getByRole('dialog').getByRole('button', { name: /^notes/ }))
    await expect.poll(() => attached).toEqual([notes])
  })
})

it.each(Object.entries(HOSTILE))('words of a stranger (sec-125): %s is shown as characters', async (_what, text) => {
  open({ attachments: [{ kind: 'resource', server: text, name: text }], pins: [{ server: text, uri: text }] })
  await expect.element(page.getByRole('list', { name: 'Attached' })).toBeVisible()
  expectInert()
  await expectInside()
})
