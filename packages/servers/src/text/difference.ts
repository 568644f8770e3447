/** The difference between two texts, for people and models to look at first. */

import { createTwoFilesPatch } from 'diff'

/** A unified difference. Two texts too different to compare in good time are said to be so. */
export function toDifference(name: string, before: string, after: string): string {
  if (before === after) return ''
  const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: 1_000,
    maxEditLength: 20_000,
  })
  return (
    patch ?? `--- ${name}\n+++ ${name}\n(${lines(before)} lines become ${lines(after)}, too different to compare)\n`
  )
}

/** What a person agrees to: the difference, or the whole text where there is none to show. */
export function toShown(difference: string, after: string): string {
  return NO_DIFFERENCE.test(difference) ? `${difference}\nThe whole file will be:\n${after}` : difference
}

export const WAS_BINARY = '(the file was binary)'
const NO_DIFFERENCE = /(?:too different to compare|the file was binary)\)\n?$/

function lines(text: string): number {
  return text.split('\n').length
}
