/** The tools that give a page something: a whole form at once, a file, the answer to a dialog. What goes out is asked about first. */

import { createHash } from 'node:crypto'
import { type AskingContext, ToolError, tool } from '@portico/sdk/server'
import type { Locator } from 'playwright-core'
import { requireConfirmation } from '../confirmation.ts'
import { spellHidden } from '../text/plain-text.ts'
import { elementOf, factsOf, submitQuestion } from './element.ts'
import { after, onTab, type StepParts } from './steps.ts'
import type { Tab } from './tab.ts'
import { PAGE, REF, TAB } from './tool-schemas.ts'
import type { Uploads } from './uploads.ts'

const ENTERING = { readOnly: false, destructive: true, idempotent: false, openWorld: true } as const

export function createEnterTools(parts: StepParts, uploads: Uploads | undefined) {
  return {
    fill_form: createFillForm(parts),
    answer_dialog: createAnswerDialog(parts),
    ...(uploads !== undefined && { upload_file: createUploadFile(parts, uploads) }),
  }
}

function createFillForm(parts: StepParts) {
  return tool(
    {
      title: 'Fill in a form',
      description:
        'Fill in several fields at once: texts, lists by their words, boxes with true or false. The user is asked first for passwords and before it is sent.',
      input: {
        type: 'object',
        properties: {
          fields: {
            type: 'array',
            minItems: 1,
            maxItems: 100,
            items: {
              type: 'object',
              properties: { ref: REF, value: { type: ['string', 'boolean'], maxLength: 20_000 } },
              required: ['ref', 'value'],
              additionalProperties: false,
            },
          },
          submit: { type: 'boolean', description: 'Press Enter in the last field' },
          tab: TAB,
        },
        required: ['fields'],
        additionalProperties: false,
      },
      output: PAGE,
      ...ENTERING,
    },
    ({ fields, submit = false, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        tab.maySubmit = false
        const found: Field[] = []
        for (const { ref, value } of fields) found.push(await toField(tab, ref, value))
        await agreeTo(parts, ctx, tab, { fields: found, submit })
        for (const field of found) await enter(field, ctx.signal)
        const last = found.at(-1)
        if (submit && last !== undefined) {
          tab.maySubmit = true
          await last.element.press('Enter', { signal: ctx.signal })
        }
        return after(parts, ctx, tab)
      }),
  )
}

interface Field {
  readonly element: Locator
  readonly kind: 'box' | 'list' | 'text'
  readonly value: string | boolean
  readonly facts: Awaited<ReturnType<typeof factsOf>>
}

/** All fields are looked at before anything is entered: a form is filled in whole or not at all. */
async function toField(tab: Tab, ref: string, value: string | boolean): Promise<Field> {
  const element = await elementOf(tab.page, ref)
  const facts = await factsOf(element)
  const isBox = facts.type === 'checkbox' || facts.type === 'radio'
  if (isBox !== (typeof value === 'boolean')) {
    const wanted = isBox ? 'a box, which takes true or false' : 'no box, and takes a text'
    throw new ToolError(`${ref} is ${wanted}. Nothing was entered.`)
  }
  return { element, kind: isBox ? 'box' : facts.type.startsWith('select') ? 'list' : 'text', value, facts }
}

interface Filled {
  readonly fields: readonly Field[]
  readonly submit: boolean
}

async function agreeTo(parts: StepParts, ctx: AskingContext, tab: Tab, { fields, submit }: Filled): Promise<void> {
  const passwords = fields.filter(({ facts }) => facts.isPassword).length
  const where = spellHidden(tab.page.url())
  const form = fields.at(-1)?.facts.form ?? { action: '', fields: [] }
  const questions = [
    ...(passwords > 0 ? [`Type into ${passwords} password field(s) of ${where}?`] : []),
    ...(submit ? [submitQuestion(tab.page, form)] : []),
  ]
  if (questions.length > 0) await requireConfirmation(ctx, questions.join('\n'), parts.allowUnasked)
}

async function enter({ element, kind, value }: Field, signal: AbortSignal): Promise<void> {
  if (kind === 'box') await element.setChecked(value === true, { signal })
  else if (kind === 'list') await element.selectOption(String(value), { signal })
  else await element.fill(String(value), { signal })
}

function createAnswerDialog(parts: StepParts) {
  return tool(
    {
      title: 'Answer a dialog',
      description:
        'Say yes to the next dialog of the page (confirm, prompt), which is otherwise dismissed; then do again what brings it up. The user is asked first.',
      input: {
        type: 'object',
        properties: { text: { type: 'string', maxLength: 2_000, description: 'What a prompt gets' }, tab: TAB },
        additionalProperties: false,
      },
      output: PAGE,
      ...ENTERING,
    },
    ({ text, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const seen = tab.lastDialog
        if (seen === undefined) {
          throw new ToolError(
            'No dialog was dismissed on this page. Do first what brings it up: it tells what it says.',
          )
        }
        const said = `"${seen}"${text === undefined ? '' : `, and enter "${spellHidden(text)}"`}`
        const question = `Say yes to this dialog of ${spellHidden(tab.page.url())} when it comes next?\n${said}`
        await requireConfirmation(ctx, question, parts.allowUnasked)
        tab.acceptNext(seen, text)
        return after(parts, ctx, tab)
      }),
  )
}

function createUploadFile(parts: StepParts, uploads: Uploads) {
  return tool(
    {
      title: 'Upload a file',
      description: `Give a file of the folder for uploads to a file field. The user is asked first.`,
      input: {
        type: 'object',
        properties: {
          ref: REF,
          file: { type: 'string', minLength: 1, maxLength: 1_000, description: 'Its path within the folder' },
          tab: TAB,
        },
        required: ['ref', 'file'],
        additionalProperties: false,
      },
      output: PAGE,
      ...ENTERING,
    },
    ({ ref, file, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const element = await elementOf(tab.page, ref)
        // The digest binds the answer: where the file becomes another while the user is asked, the question is another, too.
        const { name, bytes } = await uploads.read(file)
        const where = spellHidden(tab.page.url())
        const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
        const question = `Give the file ${spellHidden(file)} (${bytes.length} bytes, SHA-256 ${digest}…) to ${where}?`
        await requireConfirmation(ctx, question, parts.allowUnasked)
        tab.maySubmit = false
        const payload = { name, mimeType: 'application/octet-stream', buffer: bytes }
        await element.setInputFiles(payload, { signal: ctx.signal })
        return after(parts, ctx, tab)
      }),
  )
}
