/**
 * What an element of a page is, as far as it matters before something is done to it: whether it sends a form or takes a
 * password. A page can lie about this; what it then sends is still held back by `profiles.ts`.
 */

import { ToolError } from '@portico/sdk/server'
import type { Locator, Page } from 'playwright-core'
import { spellHidden } from '../text/plain-text.ts'

export interface ElementFacts {
  /** As the page calls it: `checkbox`, `select-one`, `text` and so on. */
  readonly type: string
  readonly isPassword: boolean
  /** To press it sends a form. */
  readonly isSubmit: boolean
  /** Where the form goes, when it is in one. */
  readonly form: { readonly action: string; readonly fields: readonly string[] } | undefined
}

/** As much of the DOM as is used here: the types of browsers are not at hand. */
interface DomElement {
  readonly tagName: string
  readonly type?: string
  readonly form?: DomForm | null
  closest(selector: string): DomElement | null
}

interface DomForm {
  readonly action: unknown
  readonly elements: ArrayLike<{ readonly name?: unknown; readonly type?: unknown }>
}

/** The element with a reference from `read_page`. */
export async function elementOf(page: Page, ref: string): Promise<Locator> {
  const locator = page.getByRef(ref)
  const count = await locator.count().catch(() => 0)
  if (count !== 1) throw new ToolError(`There is no element ${ref} on the page as it is now. Use read_page again.`)
  return locator
}

export async function factsOf(locator: Locator): Promise<ElementFacts> {
  const raw: unknown = await locator.evaluate((node) => {
    // What is evaluated in a page is an element of it.
    const element = node as unknown as DomElement
    const control = (element.closest('button, input, select, textarea') ?? element) as DomElement
    const type = String(control.type ?? '').toLowerCase()
    const form = control.form ?? null
    return {
      tag: String(control.tagName).toLowerCase(),
      type,
      action: form === null ? null : String(form.action),
      fields: form === null ? [] : Array.from(form.elements, (one) => String(one.name || one.type || '')),
    }
  })
  // Made by the function above, in a page: only the shape is known.
  const { tag, type, action, fields } = raw as { tag: string; type: string; action: string | null; fields: string[] }
  return {
    type,
    isPassword: type === 'password',
    isSubmit: action !== null && (tag === 'button' || tag === 'input') && (type === 'submit' || type === 'image'),
    form:
      action === null
        ? undefined
        : {
            action: spellHidden(String(action)),
            fields: fields.map((name) => spellHidden(String(name))).filter((name) => name !== ''),
          },
  }
}

export function submitQuestion(page: Page, form: NonNullable<ElementFacts['form']>): string {
  return `Send the form on ${spellHidden(page.url())}?\nIt goes to ${form.action || 'the same page'}.\nIts fields: ${form.fields.join(', ') || 'none'}.`
}
