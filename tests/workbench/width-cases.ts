/**
 * At every usual width, on every screen: each control lies inside the window, is not cut off by the box around it, and
 * nothing lies over it. Neither axe-core nor the page's own width notices a button that an ancestor has clipped.
 */

import assert from 'node:assert/strict'
import { LOOKS } from './looks-cases.ts'
import type { Site } from './site.ts'
import type { Trial } from './trial.ts'

const WIDTHS = [1440, 1366, 1280, 1024, 800, 390] as const

export const widthTrials: readonly Trial[] = LOOKS.map(({ name, route, sign, prepare }) => ({
  name: `widths: every control of ${name} is in reach`,
  async run(site) {
    await site.look('light', 'desktop')
    await site.show(await route(site))
    await site.page.getByText(sign).filter({ visible: true }).first().waitFor()
    await prepare?.(site)
    const found: string[] = []
    for (const width of WIDTHS) {
      await site.page.setViewportSize({ width, height: width === 390 ? 844 : 800 })
      found.push(...(await outOfReach(site)).map((words) => `${width} px: ${words}`))
    }
    await site.look('light', 'desktop')
    assert.deepEqual(found, [])
  },
}))

/** What cannot be clicked although it is shown, in words. */
async function outOfReach({ page }: Site): Promise<string[]> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  // The compiler names functions by a helper that the page does not have.
  await page.evaluate('globalThis.__name ??= (named) => named')
  return page.evaluate(() => {
    const CONTROLS = 'a[href], button, input, textarea, select, [role="tab"], [role="option"], [role="switch"]'
    const EDGE = 1
    /** The part of it that the boxes around it let through; those that scroll can be scrolled. */
    function isClipped(element: Element): boolean {
      const box = element.getBoundingClientRect()
      if (box.left < -EDGE || box.right > window.innerWidth + EDGE) return !canScrollTo(element)
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        const { overflowX } = getComputedStyle(around)
        if (overflowX !== 'hidden' && overflowX !== 'clip') {
          if (overflowX === 'auto' || overflowX === 'scroll') return false
          continue
        }
        const frame = around.getBoundingClientRect()
        if (box.left < frame.left - EDGE || box.right > frame.right + EDGE) return true
      }
      return false
    }
    function canScrollTo(element: Element): boolean {
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(around).overflowX) && around.scrollWidth > around.clientWidth)
          return true
      }
      return false
    }
    function isCovered(element: Element): boolean {
      element.scrollIntoView({ block: 'center', inline: 'center' })
      const { left, top, width, height } = element.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      if (y < 0 || y > window.innerHeight) return true
      const hit = document.elementFromPoint(x, y)
      return (
        hit !== null && hit !== element && !element.contains(hit) && !hit.contains(element) && !isLabelOf(hit, element)
      )
    }
    /** What is drawn over a field is part of it where a click on it reaches the field. */
    function isLabelOf(hit: Element, element: Element): boolean {
      const label = hit.closest('label')
      return (label !== null && label.control === element) || element.parentElement?.contains(hit) === true
    }
    const dialog = document.querySelector('[role="dialog"]')
    const words: string[] = []
    for (const element of (dialog ?? document.body).querySelectorAll<HTMLElement>(CONTROLS)) {
      if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue
      const { width, height } = element.getBoundingClientRect()
      // Made for screen readers, or shown when it has the focus.
      if (width < 2 || height < 2 || element.closest('[aria-hidden="true"], [inert]') !== null) continue
      if (getComputedStyle(element).pointerEvents === 'none' || element.matches('[class*="skip"]')) continue
      const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60)
      const box = element.getBoundingClientRect()
      const place = `${element.tagName.toLowerCase()} "${name}" at ${Math.round(box.left)}–${Math.round(box.right)}`
      if (isClipped(element)) words.push(`${place} is outside`)
      else if (isCovered(element)) words.push(`${place} is covered`)
    }
    return words
  })
}
