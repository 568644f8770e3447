/** The tools that do something to a page. A form is sent, and a password typed, only after the user has agreed. */

import { type AskingContext, ToolError, tool } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import { spellHidden } from '../text/plain-text.ts'
import { type ElementFacts, elementOf, factsOf, submitQuestion } from './element.ts'
import { after, onTab, type StepParts } from './steps.ts'
import type { Tab } from './tab.ts'
import { PAGE, REF, TAB } from './tool-schemas.ts'

const ACTING = { readOnly: false, destructive: true, idempotent: false, openWorld: true } as const

export function createActTools(parts: StepParts) {
  return {
    click: createClick(parts),
    type_text: createTypeText(parts),
    select_option: createSelectOption(parts),
    press_key: createPressKey(parts),
  }
}

function createClick(parts: StepParts) {
  return tool(
    {
      title: 'Click',
      description: 'Click an element of the page. The user is asked first when that sends a form.',
      input: {
        type: 'object',
        properties: { ref: REF, double: { type: 'boolean', description: 'Twice' }, tab: TAB },
        required: ['ref'],
        additionalProperties: false,
      },
      output: PAGE,
      ...ACTING,
    },
    ({ ref, double = false, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const element = await elementOf(tab.page, ref)
        const facts = await factsOf(element)
        await agree(parts, ctx, tab, facts.isSubmit ? facts.form : undefined)
        await element.click({ clickCount: double ? 2 : 1, signal: ctx.signal })
        return after(parts, ctx, tab)
      }),
  )
}

function createTypeText(parts: StepParts) {
  return tool(
    {
      title: 'Type text',
      description:
        'Put text into a field in place of what is there. The user is asked first for password fields and before a form is sent.',
      input: {
        type: 'object',
        properties: {
          ref: REF,
          text: { type: 'string', maxLength: 20_000, description: 'What the field is to hold' },
          submit: { type: 'boolean', description: 'Press Enter afterwards' },
          tab: TAB,
        },
        required: ['ref', 'text'],
        additionalProperties: false,
      },
      output: PAGE,
      ...ACTING,
    },
    ({ ref, text, submit = false, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const element = await elementOf(tab.page, ref)
        const facts = await factsOf(element)
        if (facts.isPassword) {
          const where = spellHidden(tab.page.url())
          await requireConfirmation(
            ctx,
            `Type ${text.length} characters into a password field of ${where}?`,
            parts.allowUnasked,
          )
        }
        await agree(parts, ctx, tab, submit ? (facts.form ?? UNKNOWN_FORM) : undefined)
        await element.fill(text, { signal: ctx.signal })
        if (submit) await element.press('Enter', { signal: ctx.signal })
        return after(parts, ctx, tab)
      }),
  )
}

function createSelectOption(parts: StepParts) {
  return tool(
    {
      title: 'Select an option',
      description: 'Choose from a drop-down list, by the words or values of its options.',
      input: {
        type: 'object',
        properties: {
          ref: REF,
          options: {
            type: 'array',
            items: { type: 'string', maxLength: 500 },
            minItems: 1,
            maxItems: 50,
            description: 'One, or several where the list takes several',
          },
          tab: TAB,
        },
        required: ['ref', 'options'],
        additionalProperties: false,
      },
      output: PAGE,
      ...ACTING,
    },
    ({ ref, options, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const element = await elementOf(tab.page, ref)
        tab.maySubmit = false
        await element.selectOption([...options], { signal: ctx.signal })
        return after(parts, ctx, tab)
      }),
  )
}

function createPressKey(parts: StepParts) {
  return tool(
    {
      title: 'Press a key',
      description:
        'Press a key where the focus is: Enter, Escape, Tab, ArrowDown, Control+A… The user is asked first when that sends a form.',
      input: {
        type: 'object',
        properties: {
          key: {
            type: 'string',
            pattern: '^((Control|Shift|Alt|Meta)\\+){0,3}([A-Za-z0-9]{1,20}|[ -~])$',
            description: 'One key, with what is held down before it',
          },
          tab: TAB,
        },
        required: ['key'],
        additionalProperties: false,
      },
      output: PAGE,
      ...ACTING,
    },
    ({ key, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const sends = /(^|\+)(Enter|NumpadEnter|Space| )$/.test(key)
        const focused = tab.page.locator(':focus')
        const facts = sends && (await focused.count()) === 1 ? await factsOf(focused) : undefined
        const isEnter = /Enter$/.test(key)
        await agree(parts, ctx, tab, facts !== undefined && (isEnter || facts.isSubmit) ? facts.form : undefined)
        try {
          await tab.page.keyboard.press(key)
        } catch (error) {
          if (error instanceof Error && /Unknown key/.test(error.message)) {
            throw new ToolError(`There is no key "${key}".`, { cause: error })
          }
          throw error
        }
        return after(parts, ctx, tab)
      }),
  )
}

const UNKNOWN_FORM: NonNullable<ElementFacts['form']> = { action: '', fields: [] }

async function agree(parts: StepParts, ctx: AskingContext, tab: Tab, form: ElementFacts['form']): Promise<void> {
  tab.maySubmit = false
  if (form === undefined) return
  await requireConfirmation(ctx, submitQuestion(tab.page, form), parts.allowUnasked)
  tab.maySubmit = true
}
