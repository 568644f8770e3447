/** The tools that move about on a page without entering anything, and wait for it. */

import { setTimeout as pause } from 'node:timers/promises'
import { ToolError, tool } from '@portico/sdk/server'
import { errors } from 'playwright-core'
import { elementOf } from './element.ts'
import { after, onTab, type StepParts } from './steps.ts'
import type { Tab } from './tab.ts'
import { PAGE, REF, TAB } from './tool-schemas.ts'

const MOVING = { readOnly: false, destructive: false, openWorld: true } as const

export function createMoveTools(parts: StepParts) {
  return {
    wait_for: createWaitFor(parts),
    hover: createHover(parts),
    drag: createDrag(parts),
    resize: createResize(parts),
  }
}

const WORDS = { type: 'string', minLength: 1, maxLength: 500 } as const

function createWaitFor(parts: StepParts) {
  return tool(
    {
      title: 'Wait',
      description: 'Wait until the page shows a text, or shows it no more, or for some seconds.',
      input: {
        type: 'object',
        properties: {
          text: { ...WORDS, description: 'To appear' },
          gone: { ...WORDS, description: 'To disappear' },
          seconds: { type: 'number', minimum: 0, maximum: 60, description: 'At most; alone: exactly' },
          tab: TAB,
        },
        additionalProperties: false,
      },
      output: PAGE,
      readOnly: true,
      openWorld: true,
    },
    ({ text, gone, seconds, tab: id }, ctx) => {
      if (text === undefined && gone === undefined && seconds === undefined) {
        throw new ToolError('Give text, gone or seconds.')
      }
      const timeout = seconds === undefined ? parts.limits.timeoutMs : Math.max(1, seconds * 1000)
      return onTab(parts, ctx, id, async (tab) => {
        if (text === undefined && gone === undefined) await pause(timeout, undefined, { signal: ctx.signal })
        else await untilShown(tab, { text, gone }, timeout, ctx.signal)
        return after(parts, ctx, tab)
      })
    },
  )
}

interface Awaited {
  readonly text: string | undefined
  readonly gone: string | undefined
}

async function untilShown({ page }: Tab, { text, gone }: Awaited, timeout: number, signal: AbortSignal): Promise<void> {
  const shows = (words: string, state: 'visible' | 'hidden') =>
    page
      .getByText(words)
      .first()
      .waitFor({ state, timeout, signal })
      .catch(toAdvice(words, state, timeout))
  await Promise.all([
    text === undefined ? undefined : shows(text, 'visible'),
    gone === undefined ? undefined : shows(gone, 'hidden'),
  ])
}

function toAdvice(words: string, state: 'visible' | 'hidden', timeout: number): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof errors.TimeoutError)) throw error
    const what = state === 'visible' ? 'did not come' : 'did not go'
    throw new ToolError(`"${words}" ${what} within ${timeout / 1000} seconds. read_page shows what is there.`, {
      cause: error,
    })
  }
}

function createHover(parts: StepParts) {
  return tool(
    {
      title: 'Hover',
      description: 'Point at an element without clicking, for what shows itself only then.',
      input: { type: 'object', properties: { ref: REF, tab: TAB }, required: ['ref'], additionalProperties: false },
      output: PAGE,
      ...MOVING,
    },
    ({ ref, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        tab.maySubmit = false
        await (await elementOf(tab.page, ref)).hover({ signal: ctx.signal })
        return after(parts, ctx, tab)
      }),
  )
}

function createDrag(parts: StepParts) {
  return tool(
    {
      title: 'Drag',
      description: 'Drag one element onto another.',
      input: {
        type: 'object',
        properties: { from: REF, to: REF, tab: TAB },
        required: ['from', 'to'],
        additionalProperties: false,
      },
      output: PAGE,
      ...MOVING,
      destructive: true,
    },
    ({ from, to, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        tab.maySubmit = false
        const [source, target] = [await elementOf(tab.page, from), await elementOf(tab.page, to)]
        await source.dragTo(target, { signal: ctx.signal })
        return after(parts, ctx, tab)
      }),
  )
}

function createResize(parts: StepParts) {
  const side = { type: 'integer', minimum: 200, maximum: 4_000 } as const
  return tool(
    {
      title: 'Resize',
      description: 'Give the page another size in pixels, as a phone or a wide screen would.',
      input: {
        type: 'object',
        properties: { width: side, height: side, tab: TAB },
        required: ['width', 'height'],
        additionalProperties: false,
      },
      output: PAGE,
      ...MOVING,
    },
    ({ width, height, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        await tab.page.setViewportSize({ width, height })
        return after(parts, ctx, tab)
      }),
  )
}
